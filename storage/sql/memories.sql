-- name: insert
-- A new version of a memory.
insert into pm.memory_records (tenant_id, owner_id, memory_id, version, agent_id, memory_type, merge_key, subject, facet,
  status, layer, language, speaker, abstract, summary, content, confidence, pinned, needs_merge, event_time,
  mention_time, valid_from, valid_to, last_validated_at, superseded_by, reason, commit_id, stats, born)
values (%(tenant)s, %(owner)s, %(memory_id)s, %(version)s, %(agent_id)s, %(memory_type)s, %(merge_key)s, %(subject)s,
  %(facet)s, %(status)s, %(layer)s, %(language)s, %(speaker)s, %(abstract)s, %(summary)s, %(content)s, %(confidence)s,
  %(pinned)s, %(needs_merge)s, %(event_time)s, %(mention_time)s, %(valid_from)s, %(valid_to)s, %(last_validated_at)s,
  %(superseded_by)s, %(reason)s, %(commit_id)s, %(stats)s, %(miv)s)

-- name: close
-- End the live version, if it still is the one that was read (optimistic check).
update pm.memory_records set died = %(miv)s
where tenant_id = %(tenant)s and owner_id = %(owner)s and memory_id = %(memory_id)s and version = %(version)s
  and died = 9223372036854775807
returning memory_id

-- name: get
-- The live version of one memory.
select * from pm.memory_records
where tenant_id = %(tenant)s and owner_id = %(owner)s and memory_id = %(memory_id)s and died = 9223372036854775807

-- name: history
-- All versions of one memory, oldest first.
select * from pm.memory_records
where tenant_id = %(tenant)s and owner_id = %(owner)s and memory_id = %(memory_id)s order by version

-- name: by_merge_keys
-- Current memories that hold one of these merge keys.
select * from pm.memory_records
where tenant_id = %(tenant)s and owner_id = %(owner)s and agent_id = any(%(agents)s) and merge_key = any(%(merge_keys)s)
  and died = 9223372036854775807 and status = 'current'

-- name: by_types
-- Current memories of a type, newest first.
select * from pm.memory_records
where tenant_id = %(tenant)s and owner_id = %(owner)s and memory_type = any(%(types)s)
  and died = 9223372036854775807 and status = 'current'
order by coalesce(last_validated_at, mention_time) desc nulls last, memory_id limit %(limit)s

-- name: list
-- Memories for people: any status, newest first.
select * from pm.memory_records
where tenant_id = %(tenant)s and owner_id = %(owner)s and died = 9223372036854775807
  and (%(type)s::text is null or memory_type = %(type)s) and status = any(%(statuses)s)
order by pinned desc, coalesce(last_validated_at, mention_time) desc nulls last, memory_id limit %(limit)s

-- name: overview
-- Count and the newest abstracts of each type: as of the pin, and still current now.
select memory_type, count(*) as count,
  (array_agg(abstract order by pinned desc, coalesce(last_validated_at, mention_time) desc nulls last, memory_id))[1:3]
    as abstracts
from pm.memory_records
where tenant_id = %(tenant)s and owner_id = %(owner)s and born <= %(miv)s and died = 9223372036854775807
  and status = 'current'
group by memory_type

-- name: put_evidence
-- Where a memory comes from; the same quote for the same candidate is one row.
insert into pm.evidence (tenant_id, owner_id, memory_id, candidate, quote_digest, source_uri, message_id, lines, quote,
  statement, commit_id, captured_at)
select %(tenant)s, %(owner)s, %(memory_id)s, e.candidate, e.quote_digest, e.source_uri, e.message_id,
  case when e.first_line is null then null else int4range(e.first_line, e.last_line, '[]') end,
  e.quote, e.statement, %(commit_id)s, e.captured_at
from unnest(%(candidate)s::bytea[], %(quote_digest)s::bytea[], %(source_uri)s::text[], %(message_id)s::uuid[],
  %(first_line)s::int[], %(last_line)s::int[], %(quote)s::text[], %(statement)s::text[], %(captured_at)s::timestamptz[])
  as e(candidate, quote_digest, source_uri, message_id, first_line, last_line, quote, statement, captured_at)
on conflict do nothing

-- name: evidence
-- The sources of memories that this agent may see, oldest first, with the name that people know them by.
select e.memory_id, e.source_uri, e.message_id, e.lines, e.quote, e.statement, e.captured_at, c.source_name
from pm.evidence e
left join pm.context_catalog c on c.tenant_id = e.tenant_id and c.owner_id = e.owner_id and c.uri = e.source_uri
  and c.died = 9223372036854775807
where e.tenant_id = %(tenant)s and e.owner_id = %(owner)s and e.memory_id = any(%(memory_ids)s)
  and exists (select 1 from pm.memory_records m
    where m.tenant_id = e.tenant_id and m.owner_id = e.owner_id and m.memory_id = e.memory_id)
order by e.captured_at, e.quote_digest

-- name: tombstones
-- What was deleted or corrected of these sources.
select source_id, memory_type, merge_key from pm.tombstone
where tenant_id = %(tenant)s and owner_id = %(owner)s and source_id = any(%(source_ids)s)

-- name: bury
-- Remember that something was deleted, by ids and hashed keys only.
insert into pm.tombstone (tenant_id, owner_id, source_id, memory_type, merge_key)
values (%(tenant)s, %(owner)s, %(source_id)s, %(memory_type)s, %(merge_key)s)
on conflict (tenant_id, owner_id, source_id, memory_type, merge_key) do update set at = now()

-- name: supported_by
-- Memories with evidence in a source, and how many other sources each has.
select e.memory_id, count(*) filter (where e.source_uri = any(%(uris)s) or e.source_uri like any(%(prefixes)s)) as here,
  count(*) as total
from pm.evidence e where e.tenant_id = %(tenant)s and e.owner_id = %(owner)s
  and e.memory_id in (select memory_id from pm.evidence where tenant_id = %(tenant)s and owner_id = %(owner)s
    and (source_uri = any(%(uris)s) or source_uri like any(%(prefixes)s)))
group by e.memory_id

-- name: erase
-- Every version of memories whose last evidence went.
delete from pm.memory_records where tenant_id = %(tenant)s and owner_id = %(owner)s and memory_id = any(%(memory_ids)s)

-- name: forget_superseder
-- Memories that an erased one had superseded stay superseded, by nothing that can be named.
update pm.memory_records set superseded_by = null
where tenant_id = %(tenant)s and owner_id = %(owner)s and superseded_by = any(%(memory_ids)s)

-- name: erase_evidence
-- The evidence of erased memories.
delete from pm.evidence where tenant_id = %(tenant)s and owner_id = %(owner)s and memory_id = any(%(memory_ids)s)

-- name: erase_evidence_of
-- The evidence that an erased source gave.
delete from pm.evidence where tenant_id = %(tenant)s and owner_id = %(owner)s
  and (source_uri = any(%(uris)s) or source_uri like any(%(prefixes)s))

-- name: of_ids
-- The live versions of memories.
select * from pm.memory_records
where tenant_id = %(tenant)s and owner_id = %(owner)s and memory_id = any(%(memory_ids)s)
  and died = 9223372036854775807
order by memory_id
