-- name: known
-- What files of a folder gave last, and their notes as they stand now.
-- One note at a time: joined, a fresh table without statistics is read as a whole for each file.
select f.path, f.note_id, f.asset_id, f.content, n.digest as standing
from pm.import_file f
left join lateral (select digest from pm.note
  where tenant_id = %(tenant)s and owner_id = %(owner)s and note_id = f.note_id offset 0) n on true
where f.tenant_id = %(tenant)s and f.owner_id = %(owner)s and f.root = %(root)s and f.path = any(%(paths)s::text[])

-- name: page
-- The files of a folder at or below some places, in the order of their paths, after one of them.
select path, note_id, asset_id, substring(content for 32) as file from pm.import_file
where tenant_id = %(tenant)s and owner_id = %(owner)s and root = %(root)s and path > %(after)s
  and (path = any(%(places)s::text[]) or path ^@ any(%(prefixes)s::text[]))
order by path limit %(limit)s

-- name: count
-- How many files of a folder are known.
select count(*) as count from pm.import_file
where tenant_id = %(tenant)s and owner_id = %(owner)s and root = %(root)s

-- name: holders
-- From which files these notes and assets came.
select coalesce(note_id, asset_id) as id, root, path from pm.import_file
where tenant_id = %(tenant)s and owner_id = %(owner)s and (note_id = any(%(ids)s) or asset_id = any(%(ids)s))

-- name: roots
-- Which of these folders were imported.
select r.root from unnest(%(roots)s::bytea[]) as r(root)
where exists (select from pm.import_file f
  where f.tenant_id = %(tenant)s and f.owner_id = %(owner)s and f.root = r.root)

-- name: take_over
-- The files of a folder as files of a folder above it; where that knows a file already, it knows it better.
insert into pm.import_file (tenant_id, owner_id, root, path, note_id, asset_id, content)
select tenant_id, owner_id, %(root)s, %(prefix)s || path, note_id, asset_id, content from pm.import_file
where tenant_id = %(tenant)s and owner_id = %(owner)s and root = %(inner)s
on conflict do nothing

-- name: forget_root
-- A folder of which another one knows all files.
delete from pm.import_file where tenant_id = %(tenant)s and owner_id = %(owner)s and root = %(inner)s

-- name: leave
-- Notes and assets come from one file each: their earlier places go.
delete from pm.import_file where tenant_id = %(tenant)s and owner_id = %(owner)s
  and (note_id = any(%(note_ids)s::uuid[]) or asset_id = any(%(asset_ids)s::uuid[]))
  and not (root = %(root)s and path = any(%(paths)s::text[]))

-- name: put
-- What files gave.
insert into pm.import_file (tenant_id, owner_id, root, path, note_id, asset_id, content)
select %(tenant)s, %(owner)s, %(root)s, f.path, f.note_id, f.asset_id, f.content
from unnest(%(paths)s::text[], %(note_id)s::uuid[], %(asset_id)s::uuid[], %(content)s::bytea[])
  as f(path, note_id, asset_id, content)
on conflict (tenant_id, owner_id, root, path) do update set
  note_id = excluded.note_id, asset_id = excluded.asset_id, content = excluded.content

-- name: bury
-- The files of notes and assets that are being deleted must not bring them back.
insert into pm.tombstone (tenant_id, owner_id, source_id)
select tenant_id, owner_id, 'import:' || encode(sha256(root || convert_to(path, 'UTF8')), 'hex') from pm.import_file
where tenant_id = %(tenant)s and owner_id = %(owner)s and (note_id = any(%(ids)s) or asset_id = any(%(ids)s))
on conflict do nothing

-- name: lift
-- What was deleted as a whole may come back; what was corrected in it stays corrected.
delete from pm.tombstone where tenant_id = %(tenant)s and owner_id = %(owner)s
  and source_id = any(%(source_ids)s::text[]) and memory_type = '' and merge_key = ''

-- name: named
-- Which bytes a file of this owner names.
select distinct digest from pm.asset
where tenant_id = %(tenant)s and owner_id = %(owner)s and digest = any(%(digests)s::bytea[])

-- name: analyze
-- What an import fills, looked at by the planner.
analyze pm.note, pm.note_name, pm.note_link, pm.asset, pm.import_file, pm.context_catalog, pm.posting, pm.context_ref,
  pm.resource_records, pm.tombstone, pm.event

-- name: words
-- The words of versions of nodes.
select vid, term, tf from pm.posting
where tenant_id = %(tenant)s and owner_id = %(owner)s and vid = any(%(vids)s::bigint[])
