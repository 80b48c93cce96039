-- name: publish
-- The staged versions of a source take their place.
update pm.context_catalog set uri = substr(uri, length(%(prefix)s) + 1), born = %(miv)s
where tenant_id = %(tenant)s and owner_id = %(owner)s and source_id = %(source_id)s and starts_with(uri, %(prefix)s)
  and died = 9223372036854775807
returning uri, vid
