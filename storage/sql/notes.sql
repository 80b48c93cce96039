-- name: put
-- Write notes; one whose content is what is stored already is left as it is and does not come back.
insert into pm.note (tenant_id, owner_id, note_id, kind, title, body, folder, tags, source_url, source_name, first_line,
  pinned, aliases, dated, digest, updated_at)
select %(tenant)s, %(owner)s, n.note_id, n.kind, n.title, n.body, n.folder,
  array(select jsonb_array_elements_text(n.tags)), n.source_url, n.source_name, n.first_line, n.pinned,
  array(select jsonb_array_elements_text(n.aliases)), n.dated, n.digest, coalesce(n.updated_at, now())
from unnest(%(note_id)s::uuid[], %(kind)s::text[], %(title)s::text[], %(body)s::text[], %(folder)s::text[],
  %(tags)s::jsonb[], %(source_url)s::text[], %(source_name)s::text[], %(first_line)s::int[], %(pinned)s::boolean[],
  %(aliases)s::jsonb[], %(dated)s::timestamptz[], %(digest)s::bytea[], %(updated_at)s::timestamptz[])
  as n(note_id, kind, title, body, folder, tags, source_url, source_name, first_line, pinned, aliases, dated, digest,
    updated_at)
on conflict (tenant_id, owner_id, note_id) do update set
  kind = excluded.kind, title = excluded.title, body = excluded.body, folder = excluded.folder, tags = excluded.tags,
  source_url = excluded.source_url, source_name = excluded.source_name, first_line = excluded.first_line,
  pinned = excluded.pinned, aliases = excluded.aliases, dated = excluded.dated, digest = excluded.digest,
  revision = pm.note.revision + 1, updated_at = excluded.updated_at
where pm.note.digest <> excluded.digest
returning note_id, revision, updated_at

-- name: get
-- One note.
select note_id, revision, kind, title, body, folder, tags, source_url, source_name, first_line, pinned, aliases,
  dated, updated_at
from pm.note where tenant_id = %(tenant)s and owner_id = %(owner)s and note_id = %(note_id)s

-- name: page
-- Whole notes in the order of their ids, after one of them.
select note_id, revision, kind, title, body, folder, tags, source_url, source_name, first_line, pinned, aliases,
  dated, updated_at
from pm.note where tenant_id = %(tenant)s and owner_id = %(owner)s and note_id > %(after)s
order by note_id limit %(limit)s

-- name: list
-- Notes, newest change first, without their bodies.
select note_id, revision, kind, title, left(body, 200) as body, folder, tags, source_url, source_name, first_line,
  pinned, aliases, dated, updated_at
from pm.note where tenant_id = %(tenant)s and owner_id = %(owner)s
  and (%(folder)s::text is null or folder = %(folder)s or starts_with(folder, %(folder)s || '/'))
order by updated_at desc, note_id limit %(limit)s

-- name: delete
-- Remove notes.
delete from pm.note where tenant_id = %(tenant)s and owner_id = %(owner)s and note_id = any(%(note_ids)s)
returning note_id

-- name: digests
-- What is stored of these notes, to skip unchanged ones of an import in one question.
select note_id, digest from pm.note
where tenant_id = %(tenant)s and owner_id = %(owner)s and note_id = any(%(note_ids)s)

-- name: marks
-- What is stored of these notes, as far as it says what a change of them changes.
select note_id, digest, kind, tags from pm.note
where tenant_id = %(tenant)s and owner_id = %(owner)s and note_id = any(%(note_ids)s)
