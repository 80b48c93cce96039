-- name: touch
-- Containers whose children have changed.
insert into pm.stale_container (tenant_id, owner_id, uri)
select %(tenant)s, %(owner)s, u.uri from unnest(%(uris)s::text[]) as u(uri)
on conflict (tenant_id, owner_id, uri) do update set touched_at = statement_timestamp()

-- name: take
-- Containers that have been quiet for a while, or have waited long, the deepest first; they are the caller's now.
delete from pm.stale_container
where tenant_id = %(tenant)s and owner_id = %(owner)s
  and uri = any(array(
    select uri from pm.stale_container
    where tenant_id = %(tenant)s and owner_id = %(owner)s
      and (touched_at <= statement_timestamp() - make_interval(secs => %(quiet)s)
        or first_at <= statement_timestamp() - make_interval(secs => %(longest)s))
    order by cardinality(string_to_array(uri, '/')) desc, uri limit %(limit)s))
returning uri

-- name: waiting
-- How many containers wait for their texts.
select count(*) as count from pm.stale_container where tenant_id = %(tenant)s and owner_id = %(owner)s

-- name: forget
-- Containers that need no texts any more.
delete from pm.stale_container where tenant_id = %(tenant)s and owner_id = %(owner)s and uri = any(%(uris)s)

-- name: all
-- Every container that only holds others.
select uri from pm.context_catalog
where tenant_id = %(tenant)s and owner_id = %(owner)s and died = 9223372036854775807 and not is_leaf
  and record_id is null and starts_with(source_id, 'tree:')
order by uri
