-- name: put_resource
-- Material projected from one source.
insert into pm.resource_records (tenant_id, owner_id, resource_id, resource_type, source_type, source_id, space,
  session_id, visibility, uri, title, hash, projection_status, reason)
select %(tenant)s, %(owner)s, r.resource_id, r.resource_type, r.source_type, r.source_id, r.space, r.session_id,
  r.visibility, r.uri, r.title, r.hash, r.projection_status, r.reason
from unnest(%(resource_id)s::uuid[], %(resource_type)s::text[], %(source_type)s::text[], %(source_id)s::text[],
  %(space)s::text[], %(session_id)s::uuid[], %(visibility)s::text[], %(uri)s::text[], %(title)s::text[],
  %(hash)s::bytea[], %(projection_status)s::text[], %(reason)s::text[])
  as r(resource_id, resource_type, source_type, source_id, space, session_id, visibility, uri, title, hash,
    projection_status, reason)
on conflict (tenant_id, owner_id, resource_id) do update set
  source_type = excluded.source_type, visibility = excluded.visibility, uri = excluded.uri, title = excluded.title,
  hash = excluded.hash, projection_status = excluded.projection_status, reason = excluded.reason, updated_at = now()

-- name: resources_of
-- From a source to its material.
select resource_id, resource_type, source_type, source_id, space, visibility, uri, title, hash, projection_status,
  reason, session_id, updated_at
from pm.resource_records where tenant_id = %(tenant)s and owner_id = %(owner)s and source_id = %(source_id)s

-- name: erase_resources
-- The material of erased sources.
delete from pm.resource_records
where tenant_id = %(tenant)s and owner_id = %(owner)s and source_id = any(%(source_ids)s)

-- name: settle_resources
-- Material whose every live node has a vector, or was refused one, is ready; not what still waits to be read or cut.
-- What still waits is found first and once: asked again for each resource, a fresh table without statistics takes
-- minutes.
with waiting as materialized (
  select distinct c.source_id from pm.context_catalog c
  where c.tenant_id = %(tenant)s and c.owner_id = %(owner)s and c.vid = any(array(
    select vid from pm.context_catalog
    where tenant_id = %(tenant)s and owner_id = %(owner)s and died = 9223372036854775807
    except select vid from pm.vector
    where tenant_id = %(tenant)s and owner_id = %(owner)s and engine = %(engine)s
    except select vid from pm.vector_refusal
    where tenant_id = %(tenant)s and owner_id = %(owner)s and engine = %(engine)s)))
update pm.resource_records r set projection_status = 'ready'
where r.tenant_id = %(tenant)s and r.owner_id = %(owner)s and r.projection_status = 'pending'
  and not starts_with(coalesce(r.reason, ''), %(waits)s)
  and r.source_id not in (select source_id from waiting)

-- name: awaiting
-- Material that is not made yet: files to be read, large notes to be cut, those that came first before the others.
select resource_id, resource_type, source_type, source_id, space, visibility, uri, title, hash, projection_status,
  reason, session_id, updated_at
from pm.resource_records where tenant_id = %(tenant)s and owner_id = %(owner)s and projection_status = 'pending'
  and starts_with(coalesce(reason, ''), %(waits)s)
order by updated_at, resource_id

-- name: give_reason
-- Why a source's material is not made yet, or cannot be made.
update pm.resource_records set reason = %(reason)s, updated_at = now(),
  projection_status = case when %(failed)s then 'failed' else projection_status end
where tenant_id = %(tenant)s and owner_id = %(owner)s and source_id = %(source_id)s
  and projection_status in ('pending', 'failed')

-- name: put_refs
-- Why one address points to others.
insert into pm.context_ref (tenant_id, owner_id, source_uri, ref_type, target_uri, commit_id)
select %(tenant)s, %(owner)s, r.source_uri, r.ref_type, r.target_uri, %(commit_id)s
from unnest(%(source_uri)s::text[], %(ref_type)s::text[], %(target_uri)s::text[]) as r(source_uri, ref_type, target_uri)
on conflict do nothing

-- name: refs_of
-- What an address points to.
select ref_type, target_uri, commit_id from pm.context_ref
where tenant_id = %(tenant)s and owner_id = %(owner)s and source_uri = %(uri)s order by ref_type, target_uri

-- name: put_events
-- What happened in this transaction, in order.
insert into pm.event (tenant_id, owner_id, miv, ordinal, kind, uri, digest, reason)
select %(tenant)s::text, %(owner)s::text, %(miv)s, e.ordinal + (select count(*) from pm.event
    where tenant_id = %(tenant)s::text and owner_id = %(owner)s::text and miv = %(miv)s), e.kind, e.uri, e.digest, e.reason
from unnest(%(ordinal)s::int[], %(kind)s::text[], %(uri)s::text[], %(digest)s::bytea[], %(reason)s::text[])
  as e(ordinal, kind, uri, digest, reason)

-- name: events_after
-- The feed after a cursor.
select miv, ordinal, kind, uri, reason, at from pm.event
where tenant_id = %(tenant)s and owner_id = %(owner)s and (miv, ordinal) > (%(miv)s, %(ordinal)s)
order by miv, ordinal limit %(limit)s

-- name: put_usage
-- A use of an address, once per commit.
insert into pm.usage_event (tenant_id, owner_id, uri, commit_id, miv, used_at)
select %(tenant)s, %(owner)s, u.uri, %(commit_id)s, %(miv)s, %(used_at)s
from unnest(%(uris)s::text[]) as u(uri)
on conflict do nothing

-- name: usage
-- Use counts and last use of addresses as of a pin.
select uri, count(*) as count, max(used_at) as used_at from pm.usage_event
where tenant_id = %(tenant)s and owner_id = %(owner)s and uri = any(%(uris)s) and miv <= %(miv)s group by uri

-- name: put_trace
-- How an answer came to be.
insert into pm.trace (tenant_id, owner_id, trace_id, session_id, run_id, pin, body)
values (%(tenant)s, %(owner)s, %(trace_id)s, %(session_id)s, %(run_id)s, %(pin)s, %(body)s)
on conflict (tenant_id, owner_id, trace_id) do nothing

-- name: trace
-- One trace.
select trace_id, session_id, run_id, pin, body, at from pm.trace
where tenant_id = %(tenant)s and owner_id = %(owner)s and trace_id = %(trace_id)s

-- name: traces_of_session
-- The traces of a session, oldest first.
select trace_id, session_id, run_id, pin, body, at from pm.trace
where tenant_id = %(tenant)s and owner_id = %(owner)s and session_id = %(session_id)s and at > %(since)s order by at

-- name: put_model_output
-- Keep what a model said, so that it is never asked the same again.
insert into pm.model_output (tenant_id, owner_id, input_digest, task, model, source_id, output)
values (%(tenant)s, %(owner)s, %(input_digest)s, %(task)s, %(model)s, %(source_id)s, %(output)s)
on conflict do nothing

-- name: model_output
-- What a model said to this input.
select output from pm.model_output where tenant_id = %(tenant)s and owner_id = %(owner)s
  and input_digest = %(input_digest)s and task = %(task)s and model = %(model)s

-- name: erase_model_outputs
-- What models said about an erased source.
delete from pm.model_output where tenant_id = %(tenant)s and owner_id = %(owner)s and source_id = any(%(source_ids)s)

-- name: resources_by_status
-- Material for people: what failed first, then what waits, then by the newest change.
select resource_id, resource_type, source_type, source_id, space, visibility, uri, title, hash, projection_status,
  reason, session_id, updated_at
from pm.resource_records where tenant_id = %(tenant)s and owner_id = %(owner)s
  and (%(statuses)s::text[] is null or projection_status = any(%(statuses)s))
  and (%(source_types)s::text[] is null or source_type = any(%(source_types)s))
order by projection_status <> 'failed', projection_status <> 'pending', updated_at desc, resource_id limit %(limit)s

-- name: resource_counts
-- How much material there is of each kind and status.
select source_type, projection_status, count(*) as count from pm.resource_records
where tenant_id = %(tenant)s and owner_id = %(owner)s group by source_type, projection_status
order by source_type, projection_status

-- name: resource
-- One resource by its id, its source's id or its address.
select resource_id, resource_type, source_type, source_id, space, visibility, uri, title, hash, projection_status,
  reason, session_id, updated_at
from pm.resource_records where tenant_id = %(tenant)s and owner_id = %(owner)s
  and (resource_id::text = %(key)s or source_id = %(key)s or uri = %(key)s)
order by source_type limit 1

-- name: every_resource
-- All material, by source.
select resource_id, resource_type, source_type, source_id, space, visibility, uri, title, hash, projection_status,
  reason, session_id, updated_at
from pm.resource_records where tenant_id = %(tenant)s and owner_id = %(owner)s and resource_id > %(after)s
order by resource_id limit %(limit)s

-- name: erase_refs
-- References from or to an erased address and everything under it.
delete from pm.context_ref
where tenant_id = %(tenant)s and owner_id = %(owner)s
  and (source_uri = any(%(uris)s) or target_uri = any(%(uris)s)
    or source_uri like any(%(prefixes)s) or target_uri like any(%(prefixes)s))

-- name: model_outputs_of
-- What models said about sources, the newest last.
select source_id, input_digest, model, output from pm.model_output
where tenant_id = %(tenant)s and owner_id = %(owner)s and task = %(task)s and source_id = any(%(source_ids)s)
order by made_at, model

-- name: resources_of_sources
-- From sources to their material.
select resource_id, resource_type, source_type, source_id, space, visibility, uri, title, hash, projection_status,
  reason, session_id, updated_at
from pm.resource_records where tenant_id = %(tenant)s and owner_id = %(owner)s and source_id = any(%(source_ids)s)

-- name: resources_beginning
-- Material whose id or whose source's id begins like this.
select resource_id, resource_type, source_type, source_id, space, visibility, uri, title, hash, projection_status,
  reason, session_id, updated_at
from pm.resource_records where tenant_id = %(tenant)s and owner_id = %(owner)s
  and (starts_with(resource_id::text, %(start)s) or starts_with(source_id, %(start)s))
order by source_type, resource_id limit %(limit)s

-- name: refs_to
-- What points to an address.
select source_uri, ref_type from pm.context_ref
where tenant_id = %(tenant)s and owner_id = %(owner)s and target_uri = %(uri)s order by ref_type, source_uri

-- name: model_outputs_by_digest
-- What models said to inputs, whatever source they were asked about, the newest last.
select input_digest, model, output from pm.model_output
where tenant_id = %(tenant)s and owner_id = %(owner)s and task = %(task)s and input_digest = any(%(digests)s)
order by made_at, model
