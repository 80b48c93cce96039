-- name: live_of_sources
-- The live nodes of sources, to find what a projection changes.
select vid, uri, parent_uri, source_id, digest, title, abstract, overview, lines, layer, status, source_name, ordinal,
  leaf_count, visibility, agent_id, is_leaf, pos, written_by, happened_at
from pm.context_catalog
where tenant_id = %(tenant)s and owner_id = %(owner)s and source_id = any(%(source_ids)s) and died = 9223372036854775807

-- name: former_of_source
-- Ended versions of a source that still have vectors.
select vid, uri, parent_uri, source_id, digest, title, abstract, overview, lines, layer, status, source_name, ordinal,
  leaf_count, visibility, agent_id, is_leaf, pos, written_by, happened_at
from pm.context_catalog c
where tenant_id = %(tenant)s and owner_id = %(owner)s and source_id = %(source_id)s and died < 9223372036854775807
  and exists (select 1 from pm.vector v
    where v.tenant_id = %(tenant)s and v.owner_id = %(owner)s and v.vid = c.vid)
order by vid

-- name: any_version_child
-- Whether any version of anything lies below a container.
select 1 as found from pm.context_catalog
where tenant_id = %(tenant)s and owner_id = %(owner)s and parent_uri = %(uri)s limit 1

-- name: live_uris
-- Which of these addresses have a live node.
select uri from pm.context_catalog
where tenant_id = %(tenant)s and owner_id = %(owner)s and uri = any(%(uris)s) and died = 9223372036854775807

-- name: close
-- End versions; they stay readable as of their time.
update pm.context_catalog set died = %(miv)s
where tenant_id = %(tenant)s and owner_id = %(owner)s and vid = any(%(vids)s) and died = 9223372036854775807

-- name: close_uris
-- End the live versions of these addresses.
update pm.context_catalog set died = %(miv)s
where tenant_id = %(tenant)s and owner_id = %(owner)s and uri = any(%(uris)s) and died = 9223372036854775807

-- name: insert
-- New versions, born with this transaction.
insert into pm.context_catalog (tenant_id, owner_id, uri, parent_uri, level, is_leaf, context_type, space, visibility,
  agent_id, session_id, layer, status, source_type, source_id, source_name, record_id, ordinal, leaf_count, lines,
  digest, title, abstract, overview, body, speaker, pos, norm, prior, length, happened_at, written_by, born)
select %(tenant)s, %(owner)s, n.uri, n.parent_uri, n.level, n.is_leaf, n.context_type, n.space, n.visibility,
  n.agent_id, n.session_id, n.layer, n.status, n.source_type, n.source_id, n.source_name, n.record_id, n.ordinal,
  n.leaf_count, case when n.first_line is null then null else int4range(n.first_line, n.last_line, '[]') end,
  n.digest, n.title, n.abstract, n.overview, n.body, n.speaker, n.pos, n.norm, n.prior, n.length, n.happened_at,
  n.written_by, %(miv)s
from unnest(%(uri)s::text[], %(parent_uri)s::text[], %(level)s::smallint[], %(is_leaf)s::boolean[],
  %(context_type)s::text[], %(space)s::text[], %(visibility)s::text[], %(agent_id)s::text[], %(session_id)s::uuid[],
  %(layer)s::text[], %(status)s::text[], %(source_type)s::text[], %(source_id)s::text[], %(source_name)s::text[],
  %(record_id)s::uuid[], %(ordinal)s::int[], %(leaf_count)s::int[], %(first_line)s::int[], %(last_line)s::int[],
  %(digest)s::bytea[], %(title)s::text[], %(abstract)s::text[], %(overview)s::text[], %(body)s::text[],
  %(speaker)s::text[], %(pos)s::bigint[], %(norm)s::real[], %(prior)s::real[], %(length)s::int[],
  %(happened_at)s::timestamptz[], %(written_by)s::text[])
  as n(uri, parent_uri, level, is_leaf, context_type, space, visibility, agent_id, session_id, layer, status,
    source_type, source_id, source_name, record_id, ordinal, leaf_count, first_line, last_line, digest, title,
    abstract, overview, body, speaker, pos, norm, prior, length, happened_at, written_by)
returning uri, vid

-- name: insert_postings
-- The words of new versions.
insert into pm.posting (tenant_id, owner_id, term, vid, tf)
select %(tenant)s, %(owner)s, p.term, p.vid, p.tf
from unnest(%(term)s::text[], %(vid)s::bigint[], %(tf)s::smallint[]) as p(term, vid, tf)

-- name: carry_vectors
-- Unchanged words are never embedded twice: a new version takes the vector of the version it replaces.
insert into pm.vector (tenant_id, owner_id, engine, context_type, vid, embedding)
select v.tenant_id, v.owner_id, v.engine, v.context_type, m.new_vid, v.embedding
from unnest(%(old_vid)s::bigint[], %(new_vid)s::bigint[]) as m(old_vid, new_vid)
join pm.vector v on v.tenant_id = %(tenant)s and v.owner_id = %(owner)s and v.vid = m.old_vid
on conflict do nothing

-- name: erase_postings
-- The words of every version of a source.
delete from pm.posting p using pm.context_catalog c
where p.tenant_id = %(tenant)s and p.owner_id = %(owner)s and p.vid = c.vid
  and c.tenant_id = %(tenant)s and c.owner_id = %(owner)s and c.source_id = any(%(source_ids)s)

-- name: erase
-- Every version of a source; vectors go with their nodes.
delete from pm.context_catalog
where tenant_id = %(tenant)s and owner_id = %(owner)s and source_id = any(%(source_ids)s)
returning uri, parent_uri

-- name: live
-- Every node as of the pin, without its long texts: the tree and what the ranker needs.
select vid, uri, parent_uri, level, is_leaf, context_type, visibility, session_id, layer, source_type, source_id, pos,
  norm, prior, length, happened_at, speaker, record_id
from pm.context_catalog
where tenant_id = %(tenant)s and owner_id = %(owner)s and born <= %(miv)s and died > %(miv)s and status = 'current'
order by vid

-- name: live_since
-- What began after an earlier pin and is live as of this one.
select vid, uri, parent_uri, level, is_leaf, context_type, visibility, session_id, layer, source_type, source_id, pos,
  norm, prior, length, happened_at, speaker, record_id
from pm.context_catalog
where tenant_id = %(tenant)s and owner_id = %(owner)s and born > %(since)s and born <= %(miv)s and died > %(miv)s
  and status = 'current'

-- name: ended_since
-- What was live as of an earlier pin and has ended by this one.
select vid from pm.context_catalog
where tenant_id = %(tenant)s and owner_id = %(owner)s and died > %(since)s and died <= %(miv)s
  and died < 9223372036854775807

-- name: live_sum
-- A check that nothing was erased meanwhile, which leaves no row to tell of it.
select count(*), coalesce(sum(vid), 0)::bigint from pm.context_catalog
where tenant_id = %(tenant)s and owner_id = %(owner)s and born <= %(miv)s and died > %(miv)s and status = 'current'

-- name: cosines
-- Exact cosine of every vector of these kinds with every query vector (all are of unit length). One row a query: ids and
-- cosines as arrays of 8 and 4 bytes, big endian, which cost a tenth of as many rows.
select q.ordinal::int as query, string_agg(int8send(v.vid), ''::bytea) as vids,
  string_agg(float4send((-(v.embedding <#> q.vector))::real), ''::bytea) as cosines
from pm.vector v cross join unnest(%(queries)s::halfvec[]) with ordinality as q(vector, ordinal)
where v.tenant_id = %(tenant)s and v.owner_id = %(owner)s and v.engine = %(engine)s
  and v.context_type = any(%(context_types)s)
group by q.ordinal

-- name: refused
-- What this embedder cannot place: found by words only, and not waiting for anything.
select vid from pm.vector_refusal
where tenant_id = %(tenant)s and owner_id = %(owner)s and engine = %(engine)s

-- name: postings
-- Where these words occur and how often. One row a word: ids and frequencies as arrays of 8 and 2 bytes, big endian.
select term, string_agg(int8send(vid), ''::bytea) as vids, string_agg(int2send(tf), ''::bytea) as frequencies
from pm.posting
where tenant_id = %(tenant)s and owner_id = %(owner)s and term = any(%(terms)s)
group by term

-- name: bodies
-- The texts of chosen versions, and whether each still holds now.
select c.vid, c.uri, c.parent_uri, c.level, c.is_leaf, c.context_type, c.space, c.visibility, c.agent_id, c.session_id,
  c.layer, c.status, c.source_type, c.source_id, c.source_name, c.record_id, c.ordinal, c.leaf_count, c.lines, c.digest,
  c.title, c.abstract, c.overview, c.body, c.speaker, c.pos, c.happened_at, c.written_by, c.born,
  (c.died = 9223372036854775807 and c.status = 'current') as holds
from pm.context_catalog c
where c.tenant_id = %(tenant)s and c.owner_id = %(owner)s and c.vid = any(%(vids)s)

-- name: by_uri
-- Versions of addresses as of the pin.
select vid from pm.context_catalog
where tenant_id = %(tenant)s and owner_id = %(owner)s and uri = any(%(uris)s) and born <= %(miv)s and died > %(miv)s

-- name: catalogue
-- What Tier-0 may list as of the pin: current sources and memories, the newest of each layer, newest first.
select vid, uri, layer, status, context_type, source_type, title, abstract, happened_at, digest, holds from (
  select vid, uri, layer, status, context_type, source_type, title, abstract, happened_at, digest,
    (died = 9223372036854775807) as holds,
    row_number() over (partition by layer order by happened_at desc nulls last, uri) as place
  from pm.context_catalog
  where tenant_id = %(tenant)s and owner_id = %(owner)s and born <= %(miv)s and died > %(miv)s and status = 'current'
    and ((context_type = 'MEMORY' and is_leaf) or (context_type = 'RESOURCE' and not is_leaf and record_id is not null))
    and (layer in ('project', 'whiteboard', 'user')
      or (layer = 'log' and happened_at >= %(today)s and visibility <> 'SESSION_ONLY'))) listed
where place <= %(limit)s
order by happened_at desc nulls last, uri

-- name: children
-- A container's live children and their number, for its own texts. What only a session or one agent may see is not told.
select uri, title, abstract, happened_at, count(*) over () as total from pm.context_catalog
where tenant_id = %(tenant)s and owner_id = %(owner)s and parent_uri = %(uri)s and died = 9223372036854775807
  and visibility = 'PRIVATE' and agent_id = '' and status = 'current'
order by happened_at desc nulls last, uri limit %(limit)s

-- name: any_child
-- Whether anything is live below a container.
select 1 as found from pm.context_catalog
where tenant_id = %(tenant)s and owner_id = %(owner)s and parent_uri = %(uri)s and died = 9223372036854775807 limit 1

-- name: blank
-- Containers without the texts they were given, in all versions.
update pm.context_catalog set abstract = title, overview = null, written_by = 'rule', digest = '\x00'
where tenant_id = %(tenant)s and owner_id = %(owner)s and source_id = any(%(source_ids)s)
  and (abstract <> title or overview is not null)
returning vid

-- name: drop_postings
-- The words of versions.
delete from pm.posting where tenant_id = %(tenant)s and owner_id = %(owner)s and vid = any(%(vids)s)

-- name: drop_vectors
-- The vectors of versions.
delete from pm.vector where tenant_id = %(tenant)s and owner_id = %(owner)s and vid = any(%(vids)s)

-- name: by_uris
-- The live nodes of addresses with their texts.
select vid, uri, parent_uri, level, is_leaf, context_type, space, visibility, agent_id, session_id, layer, status,
  source_type, source_id, source_name, record_id, ordinal, leaf_count, lines, digest, title, abstract, overview, body,
  speaker, pos, happened_at, written_by, born
from pm.context_catalog
where tenant_id = %(tenant)s and owner_id = %(owner)s and uri = any(%(uris)s) and died = 9223372036854775807

-- name: leaf_counts
-- How many live leaves sources have.
select source_id, count(*) as count from pm.context_catalog
where tenant_id = %(tenant)s and owner_id = %(owner)s and source_id = any(%(source_ids)s)
  and died = 9223372036854775807 and is_leaf
group by source_id
