-- name: callers
-- Notes that link to a name which these notes have, or which is among the given ones; and what these notes link to.
select l.note_id from pm.note_link l
join pm.note_name m on m.tenant_id = l.tenant_id and m.owner_id = l.owner_id and m.name = l.name
where l.tenant_id = %(tenant)s and l.owner_id = %(owner)s and m.note_id = any(%(note_ids)s)
union
select note_id from pm.note_link
where tenant_id = %(tenant)s and owner_id = %(owner)s and (name = any(%(names)s) or note_id = any(%(note_ids)s))

-- name: forget_names
-- The names of notes, before they are said anew.
delete from pm.note_name where tenant_id = %(tenant)s and owner_id = %(owner)s and note_id = any(%(note_ids)s)

-- name: forget_links
-- The links of notes, before they are said anew.
delete from pm.note_link where tenant_id = %(tenant)s and owner_id = %(owner)s and note_id = any(%(note_ids)s)

-- name: put_names
-- What notes can be called by.
insert into pm.note_name (tenant_id, owner_id, name, note_id)
select %(tenant)s, %(owner)s, n.name, n.note_id from unnest(%(name)s::text[], %(note_id)s::uuid[]) as n(name, note_id)
on conflict do nothing

-- name: put_links
-- What notes call others by.
insert into pm.note_link (tenant_id, owner_id, name, note_id, target)
select %(tenant)s, %(owner)s, n.name, n.note_id, n.target
from unnest(%(name)s::text[], %(note_id)s::uuid[], %(target)s::text[]) as n(name, note_id, target)
on conflict do nothing

-- name: resolved
-- Where the links of notes lead. Of several notes of one name: one whose path ends as the link says, in the linking
-- note's own folder, with the shortest path; ids break ties, so that every run finds the same.
select distinct on (l.note_id, l.target) l.note_id, n.note_id as linked, null::uuid as attached
from pm.note_link l
join pm.note s on s.tenant_id = l.tenant_id and s.owner_id = l.owner_id and s.note_id = l.note_id
join pm.note_name m on m.tenant_id = l.tenant_id and m.owner_id = l.owner_id and m.name = l.name
join pm.note n on n.tenant_id = m.tenant_id and n.owner_id = m.owner_id and n.note_id = m.note_id
where l.tenant_id = %(tenant)s and l.owner_id = %(owner)s and l.note_id = any(%(note_ids)s) and n.note_id <> l.note_id
  and (l.target = l.name
    or right('/' || lower(regexp_replace(n.source_name, '\.[^./]*$', '')), length(l.target) + 1) = '/' || l.target
    or right('/' || lower(n.source_name), length(l.target) + 1) = '/' || l.target)
order by l.note_id, l.target, n.folder <> s.folder, length(n.source_name), n.note_id

-- name: attached
-- Which files the links of notes name.
select distinct on (l.note_id, l.target) l.note_id, null::uuid as linked, a.asset_id as attached
from pm.note_link l
join pm.note s on s.tenant_id = l.tenant_id and s.owner_id = l.owner_id and s.note_id = l.note_id
join pm.asset a on a.tenant_id = l.tenant_id and a.owner_id = l.owner_id and a.link_name = l.name
where l.tenant_id = %(tenant)s and l.owner_id = %(owner)s and l.note_id = any(%(note_ids)s)
  and (l.target = l.name or right('/' || lower(a.source_name), length(l.target) + 1) = '/' || l.target)
order by l.note_id, l.target, a.folder <> s.folder, length(a.source_name), a.asset_id

-- name: callers_of_files
-- Notes that link to these file names.
select distinct note_id from pm.note_link
where tenant_id = %(tenant)s and owner_id = %(owner)s and name = any(%(names)s)

-- name: refs
-- The references that these notes' links have made.
select source_uri, ref_type, target_uri from pm.context_ref
where tenant_id = %(tenant)s and owner_id = %(owner)s and source_uri = any(%(uris)s) and ref_type in ('links', 'attachment')

-- name: forget_ref
-- References that no link makes any more.
delete from pm.context_ref r using unnest(%(source_uri)s::text[], %(ref_type)s::text[], %(target_uri)s::text[])
  as g(source_uri, ref_type, target_uri)
where r.tenant_id = %(tenant)s and r.owner_id = %(owner)s and r.source_uri = g.source_uri and r.ref_type = g.ref_type
  and r.target_uri = g.target_uri
