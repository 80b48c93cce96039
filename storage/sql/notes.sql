-- name: put
-- Write a note; nothing happens when its content is what is stored already.
insert into pm.note (tenant_id, owner_id, note_id, kind, title, body, folder, tags, source_url, source_name,
  first_line, pinned, digest)
values (%(tenant)s, %(owner)s, %(note_id)s, %(kind)s, %(title)s, %(body)s, %(folder)s, %(tags)s, %(source_url)s,
  %(source_name)s, %(first_line)s, %(pinned)s, %(digest)s)
on conflict (tenant_id, owner_id, note_id) do update set
  kind = excluded.kind, title = excluded.title, body = excluded.body, folder = excluded.folder, tags = excluded.tags,
  source_url = excluded.source_url, source_name = excluded.source_name, first_line = excluded.first_line,
  pinned = excluded.pinned, digest = excluded.digest, revision = pm.note.revision + 1, updated_at = now()
where pm.note.digest <> excluded.digest
returning revision, updated_at

-- name: get
-- One note.
select note_id, revision, kind, title, body, folder, tags, source_url, source_name, first_line, pinned, updated_at
from pm.note where tenant_id = %(tenant)s and owner_id = %(owner)s and note_id = %(note_id)s

-- name: list
-- Notes, newest change first, without their bodies.
select note_id, revision, kind, title, left(body, 200) as body, folder, tags, source_url, source_name, first_line,
  pinned, updated_at
from pm.note where tenant_id = %(tenant)s and owner_id = %(owner)s
  and (%(folder)s::text is null or folder = %(folder)s or starts_with(folder, %(folder)s || '/'))
order by updated_at desc, note_id limit %(limit)s

-- name: delete
-- Remove a note.
delete from pm.note where tenant_id = %(tenant)s and owner_id = %(owner)s and note_id = %(note_id)s
returning note_id

-- name: digests
-- What is stored of these notes, to skip unchanged ones of an import in one question.
select note_id, digest from pm.note
where tenant_id = %(tenant)s and owner_id = %(owner)s and note_id = any(%(note_ids)s)
