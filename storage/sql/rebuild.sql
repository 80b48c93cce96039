-- name: agents
-- Agents that something of this owner's was distilled for. Events say it where the rows themselves are only theirs.
select agent as name, null as uri from pm.chat_session
where tenant_id = %(tenant)s and owner_id = %(owner)s and agent <> ''
union
select null, 'pm://agent/' || split_part(uri, '/', 4) from pm.event
where tenant_id = %(tenant)s and owner_id = %(owner)s and starts_with(uri, 'pm://agent/')
union
select null, 'pm://agent/' || split_part(uri, '/', 4) from pm.context_catalog
where tenant_id = %(tenant)s and owner_id = %(owner)s and starts_with(uri, 'pm://agent/')

-- name: sizes
-- How much there is to go through.
select
  (select count(*) from pm.note where tenant_id = %(tenant)s and owner_id = %(owner)s) as notes,
  (select count(*) from pm.asset where tenant_id = %(tenant)s and owner_id = %(owner)s) as files,
  (select count(*) from pm.session_commit where tenant_id = %(tenant)s and owner_id = %(owner)s and fence > 0) as stages,
  (select count(*) from pm.memory_records where tenant_id = %(tenant)s and owner_id = %(owner)s
    and agent_id = %(agent)s and died = 9223372036854775807) as memories

-- name: note_lengths
-- The next notes by id, and how long each is.
select note_id, length(body) as length from pm.note
where tenant_id = %(tenant)s and owner_id = %(owner)s and note_id > %(after)s order by note_id limit %(limit)s

-- name: archived
-- Stages whose transcript was archived, by the ids of their commits: the worker that takes a commit archives it in the
-- same transaction.
select commit_id from pm.session_commit
where tenant_id = %(tenant)s and owner_id = %(owner)s and commit_id > %(after)s and fence > 0
order by commit_id limit %(limit)s

-- name: committed
-- The next sessions by id that a commit has finished with.
select distinct session_id from pm.session_commit
where tenant_id = %(tenant)s and owner_id = %(owner)s and session_id > %(after)s and fence > 0
  and state in ('done', 'partial')
order by session_id limit %(limit)s

-- name: graves
-- When these whole sources were deleted.
select source_id, at from pm.tombstone
where tenant_id = %(tenant)s and owner_id = %(owner)s and source_id = any(%(uris)s) and memory_type = ''
  and merge_key = ''

-- name: all_graves
-- When whole sources were deleted.
select source_id, at from pm.tombstone
where tenant_id = %(tenant)s and owner_id = %(owner)s and memory_type = '' and merge_key = ''

-- name: made
-- When these notes, files and sessions were made.
select 'notes' as kind, note_id as id, created_at as at from pm.note
where tenant_id = %(tenant)s and owner_id = %(owner)s and note_id = any(%(ids)s)
union all
select 'assets', asset_id, added_at from pm.asset
where tenant_id = %(tenant)s and owner_id = %(owner)s and asset_id = any(%(ids)s)
union all
select 'sessions', session_id, created_at from pm.chat_session
where tenant_id = %(tenant)s and owner_id = %(owner)s and session_id = any(%(ids)s)

-- name: all_made
-- When notes, files and sessions were made.
select 'notes' as kind, note_id as id, created_at as at from pm.note
where tenant_id = %(tenant)s and owner_id = %(owner)s
union all
select 'assets', asset_id, added_at from pm.asset where tenant_id = %(tenant)s and owner_id = %(owner)s
union all
select 'sessions', session_id, created_at from pm.chat_session
where tenant_id = %(tenant)s and owner_id = %(owner)s

-- name: stages
-- The first messages of archived stages.
select c.session_id, (select min(m.seq) from pm.chat_message m
  where m.tenant_id = %(tenant)s and m.owner_id = %(owner)s and m.session_id = c.session_id
    and m.seq > c.from_seq and m.seq <= c.upto_seq) as seq
from pm.session_commit c where c.tenant_id = %(tenant)s and c.owner_id = %(owner)s and c.fence > 0

-- name: all_memories
-- Memories in any version that this agent sees.
select distinct memory_id as id from pm.memory_records where tenant_id = %(tenant)s and owner_id = %(owner)s

-- name: details
-- What a projection never compares, since it follows from what it does: here it may have been damaged.
select vid, level, context_type, space, session_id, source_type, record_id, speaker, prior, written_by, length,
  sha256(convert_to(coalesce(body, ''), 'UTF8')) as body
from pm.context_catalog where tenant_id = %(tenant)s and owner_id = %(owner)s and vid = any(%(vids)s)

-- name: word_sums
-- How many words versions have, how often in all, and a sum over which words they are.
select vid, count(*) as words, sum(tf) as uses,
  sum(tf::bigint * (length(term) * 131 + ascii(term) * 7 + ascii(right(term, 1)))) as letters
from pm.posting where tenant_id = %(tenant)s and owner_id = %(owner)s and vid = any(%(vids)s) group by vid

-- name: drop_words
-- The words of versions.
delete from pm.posting where tenant_id = %(tenant)s and owner_id = %(owner)s and vid = any(%(vids)s)

-- name: set_lengths
-- How many words versions have, for BM25.
update pm.context_catalog c set length = n.length
from unnest(%(vid)s::bigint[], %(length)s::int[]) as n(vid, length)
where c.tenant_id = %(tenant)s and c.owner_id = %(owner)s and c.vid = n.vid and c.length <> n.length

-- name: intruders
-- Live versions at these addresses that belong to other sources.
select uri, vid from pm.context_catalog
where tenant_id = %(tenant)s and owner_id = %(owner)s and uri = any(%(uris)s) and died = 9223372036854775807
  and source_id <> all(%(source_ids)s)

-- name: turns
-- The live turns of stages.
select vid from pm.context_catalog
where tenant_id = %(tenant)s and owner_id = %(owner)s and source_id = any(%(source_ids)s) and pos > 0
  and died = 9223372036854775807

-- name: erase_records
-- Records of material, before they are written anew.
delete from pm.resource_records
where tenant_id = %(tenant)s and owner_id = %(owner)s and resource_id = any(%(resource_ids)s)

-- name: references
-- The references that addresses make or that are made to them.
select source_uri, ref_type, target_uri from pm.context_ref
where tenant_id = %(tenant)s and owner_id = %(owner)s
  and (source_uri = any(%(uris)s) or target_uri = any(%(uris)s))

-- name: forget_references
-- References that nothing makes any more.
delete from pm.context_ref r using unnest(%(source_uri)s::text[], %(ref_type)s::text[], %(target_uri)s::text[])
  as g(source_uri, ref_type, target_uri)
where r.tenant_id = %(tenant)s and r.owner_id = %(owner)s and r.source_uri = g.source_uri and r.ref_type = g.ref_type
  and r.target_uri = g.target_uri

-- name: memory_ids
-- The next memories of just this agent (or of the user) by id.
select memory_id from pm.memory_records
where tenant_id = %(tenant)s and owner_id = %(owner)s and agent_id = %(agent)s and memory_id > %(after)s
  and died = 9223372036854775807
order by memory_id limit %(limit)s

-- name: evidence_commits
-- Which commit brought each source of memories first.
select distinct on (memory_id, source_uri) memory_id, source_uri, commit_id from pm.evidence
where tenant_id = %(tenant)s and owner_id = %(owner)s and memory_id = any(%(memory_ids)s)
order by memory_id, source_uri, captured_at, quote_digest

-- name: first_commits
-- Which commit made each of these memories.
select distinct on (memory_id) memory_id, commit_id from pm.memory_records
where tenant_id = %(tenant)s and owner_id = %(owner)s and memory_id = any(%(memory_ids)s)
order by memory_id, version

-- name: tops
-- Containers that notes, files, stages and memories stand in.
select parent_uri as uri from pm.context_catalog
where tenant_id = %(tenant)s and owner_id = %(owner)s and died = 9223372036854775807
  and not starts_with(source_id, 'tree:') and parent_uri is not null
except
select uri from pm.context_catalog
where tenant_id = %(tenant)s and owner_id = %(owner)s and died = 9223372036854775807
  and not starts_with(source_id, 'tree:')

-- name: waiting
-- Containers that wait for their texts.
select uri from pm.stale_container where tenant_id = %(tenant)s and owner_id = %(owner)s

-- name: titles
-- What sessions are called.
select session_id, title from pm.chat_session
where tenant_id = %(tenant)s and owner_id = %(owner)s and session_id = any(%(session_ids)s)

-- name: node_sources
-- Sources of nodes in any version, but for the containers of the tree.
select distinct source_id from pm.context_catalog
where tenant_id = %(tenant)s and owner_id = %(owner)s and not starts_with(source_id, 'tree:')

-- name: told_sources
-- Sources of records and of what models said.
select source_id from pm.resource_records where tenant_id = %(tenant)s and owner_id = %(owner)s
union
select source_id from pm.model_output where tenant_id = %(tenant)s and owner_id = %(owner)s

-- name: tree_sources
-- Containers of the tree.
select source_id from pm.context_catalog
where tenant_id = %(tenant)s and owner_id = %(owner)s and died = 9223372036854775807 and starts_with(source_id, 'tree:')

-- name: other_truth
-- Which of these ids are commits' or messages'.
select commit_id as id from pm.session_commit
where tenant_id = %(tenant)s and owner_id = %(owner)s and commit_id = any(%(ids)s)
union all
select message_id from pm.chat_message
where tenant_id = %(tenant)s and owner_id = %(owner)s and message_id = any(%(ids)s)

-- name: lost_ends
-- Notes, files, sessions and memories at an end of a reference that are not in truth any more.
with ends as (
  select distinct split_part(uri, '/', 5) as kind,
    case split_part(uri, '/', 5) when 'memories' then split_part(uri, '/', 7) else split_part(uri, '/', 6) end as id,
    array_to_string((string_to_array(uri, '/'))[:case split_part(uri, '/', 5) when 'memories' then 7 else 6 end], '/')
      as base
  from (
    select source_uri as uri from pm.context_ref where tenant_id = %(tenant)s and owner_id = %(owner)s
    union
    select target_uri from pm.context_ref where tenant_id = %(tenant)s and owner_id = %(owner)s) as every
  where starts_with(uri, 'pm://user/') or starts_with(uri, 'pm://agent/'))
select ends.base as uri from ends
join (
  select kind, id from ends where kind in ('notes', 'assets', 'sessions', 'memories') and id <> ''
  except
  (select 'notes', note_id::text from pm.note where tenant_id = %(tenant)s and owner_id = %(owner)s
   union all
   select 'assets', asset_id::text from pm.asset where tenant_id = %(tenant)s and owner_id = %(owner)s
   union all
   select 'sessions', session_id::text from pm.chat_session where tenant_id = %(tenant)s and owner_id = %(owner)s
   union all
   select 'memories', memory_id::text from pm.memory_records where tenant_id = %(tenant)s and owner_id = %(owner)s)
  ) as lost on lost.kind = ends.kind and lost.id = ends.id

-- name: linked_stages
-- What sessions point to as their stages.
select distinct target_uri as uri from pm.context_ref
where tenant_id = %(tenant)s and owner_id = %(owner)s and ref_type = 'links' and starts_with(source_uri, %(sessions)s)

-- name: evidenced
-- Which of these addresses are of memories: they name their sources, and every agent may see that.
select distinct source_uri as uri from pm.context_ref
where tenant_id = %(tenant)s and owner_id = %(owner)s and ref_type = 'evidence' and source_uri = any(%(uris)s)

-- name: dangling
-- Versions that have words and are not there, as far as this agent can see.
select vid from pm.posting where tenant_id = %(tenant)s and owner_id = %(owner)s
except
select vid from pm.context_catalog where tenant_id = %(tenant)s and owner_id = %(owner)s

-- name: there
-- Which of these versions are there.
select vid from pm.context_catalog where tenant_id = %(tenant)s and owner_id = %(owner)s and vid = any(%(vids)s)
