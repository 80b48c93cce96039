-- name: without_vector
-- Live nodes that this embedder has neither seen nor refused, newest first. `except`, since an anti-join becomes nested
-- loops while a fresh table has no statistics, and is then quadratic.
select m.vid from (
  select vid from pm.context_catalog
  where tenant_id = %(tenant)s and owner_id = %(owner)s and died = 9223372036854775807
  except select vid from pm.vector
  where tenant_id = %(tenant)s and owner_id = %(owner)s and engine = %(engine)s
  except select vid from pm.vector_refusal
  where tenant_id = %(tenant)s and owner_id = %(owner)s and engine = %(engine)s) as m
order by m.vid desc

-- name: unembedded
-- What an embedder should see of chosen nodes, newest first; one that ended meanwhile is left out.
select vid, context_type, is_leaf, title, abstract, body, speaker, pos from pm.context_catalog
where tenant_id = %(tenant)s and owner_id = %(owner)s and vid = any(%(vids)s) and died = 9223372036854775807
order by vid desc

-- name: count_without_vector
-- How many live leaves can be found by words only until the embedder has seen them.
select count(*) as pending from (
  select vid from pm.context_catalog
  where tenant_id = %(tenant)s and owner_id = %(owner)s and died = 9223372036854775807 and is_leaf
  except select vid from pm.vector
  where tenant_id = %(tenant)s and owner_id = %(owner)s and engine = %(engine)s
  except select vid from pm.vector_refusal
  where tenant_id = %(tenant)s and owner_id = %(owner)s and engine = %(engine)s) as m

-- name: insert_vectors
-- Vectors of live nodes; one whose node was erased meanwhile is left out, since nothing of it may come back. Which are
-- left is asked once for all: asked for each, a fresh table without statistics is read through for each.
with there as materialized (
  select vid from pm.context_catalog
  where tenant_id = %(tenant)s and owner_id = %(owner)s and vid = any(%(vid)s::bigint[])
    and died = 9223372036854775807 for share)
insert into pm.vector (tenant_id, owner_id, engine, context_type, vid, embedding)
select %(tenant)s::text, %(owner)s::text, %(engine)s, n.context_type, n.vid, n.embedding
from unnest(%(context_type)s::text[], %(vid)s::bigint[], %(embedding)s::halfvec[]) as n(context_type, vid, embedding)
where n.vid in (select vid from there)
on conflict do nothing

-- name: refuse
-- Nodes that this embedder cannot embed, and why; not those that were erased meanwhile.
with there as materialized (
  select vid from pm.context_catalog
  where tenant_id = %(tenant)s and owner_id = %(owner)s and vid = any(%(vid)s::bigint[])
    and died = 9223372036854775807 for share)
insert into pm.vector_refusal (tenant_id, owner_id, engine, vid, reason)
select %(tenant)s::text, %(owner)s::text, %(engine)s, n.vid, n.reason
from unnest(%(vid)s::bigint[], %(reason)s::text[]) as n(vid, reason)
where n.vid in (select vid from there)
on conflict do nothing

-- name: refusals
-- How many live leaves this embedder refused, for each reason, the most frequent first.
select r.reason, count(*) as count from pm.vector_refusal r
join pm.context_catalog c on c.tenant_id = r.tenant_id and c.owner_id = r.owner_id and c.vid = r.vid
where r.tenant_id = %(tenant)s and r.owner_id = %(owner)s and r.engine = %(engine)s
  and c.died = 9223372036854775807 and c.is_leaf
group by r.reason order by count(*) desc, r.reason

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

-- name: a_turn_of_each_stage
-- One live turn of every stage.
select min(vid) as vid from pm.context_catalog
where tenant_id = %(tenant)s and owner_id = %(owner)s and died = 9223372036854775807 and pos > 0
group by parent_uri order by min(vid)

-- name: set_norms
-- The length of each turn's window vector, in the vectors of the embedder that answers.
update pm.context_catalog c set norm = n.norm
from unnest(%(vid)s::bigint[], %(norm)s::real[]) as n(vid, norm)
where c.tenant_id = %(tenant)s and c.owner_id = %(owner)s and c.vid = n.vid and c.norm <> n.norm
  and exists (select 1 from pm.owner_clock k
    where k.tenant_id = %(tenant)s and k.owner_id = %(owner)s and k.engine = %(engine)s)

-- name: agents
-- Agents that may have rows of their own: those of the owner's chats.
select distinct agent from pm.chat_session
where tenant_id = %(tenant)s and owner_id = %(owner)s and agent <> '' order by agent

-- name: drop_engine
-- Some of the vectors of an embedder that does not answer this owner's queries.
delete from pm.vector
where tenant_id = %(tenant)s and owner_id = %(owner)s and engine = %(engine)s
  and vid = any(array(select vid from pm.vector
    where tenant_id = %(tenant)s and owner_id = %(owner)s and engine = %(engine)s limit %(limit)s))
  and not exists (select 1 from pm.owner_clock k
    where k.tenant_id = %(tenant)s and k.owner_id = %(owner)s and k.engine = %(engine)s)

-- name: forget_refusals
-- What an embedder refused that does not answer this owner's queries.
delete from pm.vector_refusal
where tenant_id = %(tenant)s and owner_id = %(owner)s and engine = %(engine)s
  and not exists (select 1 from pm.owner_clock k
    where k.tenant_id = %(tenant)s and k.owner_id = %(owner)s and k.engine = %(engine)s)
