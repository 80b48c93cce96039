-- name: put
-- A file a person added; nothing happens when its bytes and its place are what is stored.
insert into pm.asset (tenant_id, owner_id, asset_id, digest, mime, name, bytes, folder, source_name, link_name, owner_uri)
values (%(tenant)s, %(owner)s, %(asset_id)s, %(digest)s, %(mime)s, %(name)s, %(bytes)s, %(folder)s, %(source_name)s,
  %(link_name)s, %(owner_uri)s)
on conflict (tenant_id, owner_id, asset_id) do update set digest = excluded.digest, mime = excluded.mime,
  name = excluded.name, bytes = excluded.bytes, folder = excluded.folder, source_name = excluded.source_name,
  link_name = excluded.link_name, owner_uri = excluded.owner_uri
where (pm.asset.digest, pm.asset.mime, pm.asset.name, pm.asset.folder, pm.asset.source_name)
  <> (excluded.digest, excluded.mime, excluded.name, excluded.folder, excluded.source_name)

-- name: get
-- One file.
select asset_id, digest, mime, name, bytes as size, folder, source_name, owner_uri, added_at from pm.asset
where tenant_id = %(tenant)s and owner_id = %(owner)s and asset_id = %(asset_id)s

-- name: page
-- Files in the order of their ids, after one of them.
select asset_id, digest, mime, name, bytes as size, folder, source_name, owner_uri, added_at from pm.asset
where tenant_id = %(tenant)s and owner_id = %(owner)s and asset_id > %(after)s order by asset_id limit %(limit)s

-- name: of_owner
-- Files that hang on an address.
select asset_id from pm.asset
where tenant_id = %(tenant)s and owner_id = %(owner)s and owner_uri = any(%(uris)s)

-- name: delete
-- Remove files; what comes back are the digests of their bytes.
delete from pm.asset where tenant_id = %(tenant)s and owner_id = %(owner)s and asset_id = any(%(asset_ids)s)
returning asset_id, digest

-- name: still_used
-- Which bytes other files of this owner still need.
select distinct digest from pm.asset
where tenant_id = %(tenant)s and owner_id = %(owner)s and digest = any(%(digests)s)

-- name: lock_bytes
-- Who adds these bytes and who discards them wait for each other.
select pg_advisory_xact_lock(hashtextextended(%(tenant)s || chr(31) || %(owner)s || chr(31) || %(digest)s, 0))
