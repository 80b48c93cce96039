-- name: without_vector
-- Live nodes below a version that this embedder has not seen, newest first. The caller goes on from the last one it got:
-- what it has just done lies above and is not passed over again. `except`, since an anti-join becomes nested loops while
-- a fresh table has no statistics, and is then quadratic.
select c.vid, c.context_type, c.is_leaf, c.title, c.abstract, c.body, c.speaker, c.pos
from pm.context_catalog c
where c.tenant_id = %(tenant)s and c.owner_id = %(owner)s and c.vid = any(array(
  select m.vid from (
    select vid from pm.context_catalog
    where tenant_id = %(tenant)s and owner_id = %(owner)s and died = 9223372036854775807 and vid < %(below)s
    except select vid from pm.vector
    where tenant_id = %(tenant)s and owner_id = %(owner)s and engine = %(engine)s and vid < %(below)s) as m
  order by m.vid desc limit %(limit)s))
order by c.vid desc

-- name: count_without_vector
-- How many live leaves can be found by words only.
select count(*) as pending from (
  select vid from pm.context_catalog
  where tenant_id = %(tenant)s and owner_id = %(owner)s and died = 9223372036854775807 and is_leaf
  except select vid from pm.vector
  where tenant_id = %(tenant)s and owner_id = %(owner)s and engine = %(engine)s) as m

-- name: insert_vectors
-- Vectors of live nodes; one whose node was erased meanwhile is left out, since nothing of it may come back.
insert into pm.vector (tenant_id, owner_id, engine, context_type, vid, embedding)
select %(tenant)s::text, %(owner)s::text, %(engine)s, n.context_type, n.vid, n.embedding
from unnest(%(context_type)s::text[], %(vid)s::bigint[], %(embedding)s::halfvec[]) as n(context_type, vid, embedding)
where exists (select 1 from pm.context_catalog c
  where c.tenant_id = %(tenant)s::text and c.owner_id = %(owner)s::text and c.vid = n.vid for key share)
on conflict do nothing

-- name: turns_near
-- Dialogue turns of the stages that hold these positions, with their vectors, to compute window norms.
select c.vid, c.pos, c.parent_uri, v.embedding
from pm.context_catalog c
join pm.vector v on v.tenant_id = c.tenant_id and v.owner_id = c.owner_id and v.engine = %(engine)s
  and v.context_type = c.context_type and v.vid = c.vid
where c.tenant_id = %(tenant)s and c.owner_id = %(owner)s and c.died = 9223372036854775807 and c.pos > 0
  and c.parent_uri in (select parent_uri from pm.context_catalog
    where tenant_id = %(tenant)s and owner_id = %(owner)s and vid = any(%(vids)s))
order by c.pos

-- name: set_norms
-- The length of each turn's window vector.
update pm.context_catalog c set norm = n.norm
from unnest(%(vid)s::bigint[], %(norm)s::real[]) as n(vid, norm)
where c.tenant_id = %(tenant)s and c.owner_id = %(owner)s and c.vid = n.vid
