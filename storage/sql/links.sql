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

-- name: folders
-- Where notes are filed.
select note_id, folder from pm.note
where tenant_id = %(tenant)s and owner_id = %(owner)s and note_id = any(%(note_ids)s)

-- name: named
-- Which notes have these names.
select name, note_id from pm.note_name
where tenant_id = %(tenant)s and owner_id = %(owner)s and name = any(%(names)s)

-- name: called
-- Where the notes of these names are.
select note_id, folder, source_name from pm.note
where tenant_id = %(tenant)s and owner_id = %(owner)s and note_id = any(array(
  select note_id from pm.note_name where tenant_id = %(tenant)s and owner_id = %(owner)s and name = any(%(names)s)))

-- name: files
-- Which files have these names, and where they are.
select link_name, asset_id, folder, source_name from pm.asset
where tenant_id = %(tenant)s and owner_id = %(owner)s and link_name = any(%(names)s)

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

-- name: hanging
-- Files that belong to notes.
select owner_uri, asset_id from pm.asset
where tenant_id = %(tenant)s and owner_id = %(owner)s and owner_uri = any(%(uris)s)

-- name: names_of
-- What notes can be called by, as stored.
select note_id, name from pm.note_name
where tenant_id = %(tenant)s and owner_id = %(owner)s and note_id = any(%(note_ids)s)

-- name: links_of
-- What notes call others by, as stored.
select note_id, name, target from pm.note_link
where tenant_id = %(tenant)s and owner_id = %(owner)s and note_id = any(%(note_ids)s)
