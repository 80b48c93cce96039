-- name: create
-- Open a session; an existing one is left as it is.
insert into pm.chat_session (tenant_id, owner_id, session_id, agent, title, policy)
values (%(tenant)s, %(owner)s, %(session_id)s, %(agent)s, %(title)s, %(policy)s)
on conflict (tenant_id, owner_id, session_id) do nothing
returning session_id

-- name: get
-- One session.
select session_id, agent, title, policy, last_seq, committed_seq, overview, updated_at
from pm.chat_session where tenant_id = %(tenant)s and owner_id = %(owner)s and session_id = %(session_id)s

-- name: list
-- Sessions, newest first.
select session_id, agent, title, policy, last_seq, committed_seq, overview, updated_at
from pm.chat_session where tenant_id = %(tenant)s and owner_id = %(owner)s
order by updated_at desc, session_id limit %(limit)s

-- name: take_turn
-- The lease: ours if it is free, expired, or already ours. The old holder's id comes back when it had expired.
update pm.chat_session s set
  turn_id = %(turn_id)s,
  turn_fence = s.turn_fence + case when s.turn_id = %(turn_id)s then 0 else 1 end,
  turn_until = clock_timestamp() + make_interval(secs => %(seconds)s),
  updated_at = now()
from (select turn_id from pm.chat_session
  where tenant_id = %(tenant)s and owner_id = %(owner)s and session_id = %(session_id)s for update) old
where s.tenant_id = %(tenant)s and s.owner_id = %(owner)s and s.session_id = %(session_id)s
  and (s.turn_id is null or s.turn_id = %(turn_id)s or s.turn_until < clock_timestamp())
returning s.turn_fence as fence, nullif(old.turn_id, %(turn_id)s) as expired

-- name: renew_turn
-- The heartbeat of a running turn; no row when the lease was lost.
update pm.chat_session set turn_until = clock_timestamp() + make_interval(secs => %(seconds)s)
where tenant_id = %(tenant)s and owner_id = %(owner)s and session_id = %(session_id)s
  and turn_id = %(turn_id)s and turn_fence = %(fence)s
returning session_id

-- name: free_turn
-- Give the lease back; no row when another turn began since, and then nothing of this one may be written. A turn that
-- was abandoned and resumed still holds the last fence, so it may close.
update pm.chat_session set turn_id = null, turn_until = null, updated_at = now()
where tenant_id = %(tenant)s and owner_id = %(owner)s and session_id = %(session_id)s
  and (turn_id = %(turn_id)s or turn_id is null) and turn_fence = %(fence)s
returning session_id

-- name: abandon_turn
-- Give the lease of a failed turn back; no row when it is not held any more, because the turn was closed or lost.
update pm.chat_session set turn_id = null, turn_until = null, updated_at = now()
where tenant_id = %(tenant)s and owner_id = %(owner)s and session_id = %(session_id)s
  and turn_id = %(turn_id)s and turn_fence = %(fence)s
returning session_id

-- name: mark_complete
-- The question of a turn that has its answer.
update pm.chat_message set state = 'complete'
where tenant_id = %(tenant)s and owner_id = %(owner)s and session_id = %(session_id)s and turn_id = %(turn_id)s
  and role = 'user' and state = 'incomplete'

-- name: mark_incomplete
-- The messages of a turn whose holder died.
update pm.chat_message set state = 'incomplete'
where tenant_id = %(tenant)s and owner_id = %(owner)s and session_id = %(session_id)s and turn_id = %(turn_id)s

-- name: lock
-- Take the session's row before the owner's clock.
select session_id, agent, title, policy, last_seq, committed_seq, overview, updated_at
from pm.chat_session where tenant_id = %(tenant)s and owner_id = %(owner)s and session_id = %(session_id)s for update

-- name: known
-- Which of these message ids are stored already.
select message_id from pm.chat_message
where tenant_id = %(tenant)s and owner_id = %(owner)s and message_id = any(%(message_ids)s)

-- name: append
-- Add messages after the last one; the caller holds the session's row and has left out known ids.
insert into pm.chat_message (tenant_id, owner_id, session_id, seq, message_id, parent_id, role, content, tool, state,
  speaker, sent_at, zone, run_id, turn_id)
select %(tenant)s, %(owner)s, %(session_id)s, m.seq, m.message_id, m.parent_id, m.role, m.content, m.tool, m.state,
  m.speaker, m.sent_at, m.zone, m.run_id, m.turn_id
from unnest(%(seq)s::bigint[], %(message_id)s::uuid[], %(parent_id)s::uuid[], %(role)s::text[], %(content)s::text[],
  %(tool)s::jsonb[], %(state)s::text[], %(speaker)s::text[], %(sent_at)s::timestamptz[], %(zone)s::text[],
  %(run_id)s::uuid[], %(turn_id)s::uuid[])
  as m(seq, message_id, parent_id, role, content, tool, state, speaker, sent_at, zone, run_id, turn_id)

-- name: set_last
-- Where the session's messages now end; an untitled session takes a title.
update pm.chat_session set last_seq = %(last_seq)s, updated_at = now(),
  title = case when title = '' then %(title)s else title end
where tenant_id = %(tenant)s and owner_id = %(owner)s and session_id = %(session_id)s

-- name: range
-- Messages of a session in order; the newest when a limit cuts.
select * from (
  select seq, message_id, parent_id, role, content, tool, state, speaker, sent_at, zone, run_id, turn_id
  from pm.chat_message
  where tenant_id = %(tenant)s and owner_id = %(owner)s and session_id = %(session_id)s
    and seq > %(after)s and seq <= %(upto)s
  order by seq desc limit %(limit)s) newest
order by seq

-- name: first_range
-- Messages of a session in order; the oldest when a limit cuts.
select seq, message_id, parent_id, role, content, tool, state, speaker, sent_at, zone, run_id, turn_id
from pm.chat_message
where tenant_id = %(tenant)s and owner_id = %(owner)s and session_id = %(session_id)s
  and seq > %(after)s and seq <= %(upto)s
order by seq limit %(limit)s

-- name: places
-- Where messages stand in their session.
select message_id, seq from pm.chat_message
where tenant_id = %(tenant)s and owner_id = %(owner)s and session_id = %(session_id)s
  and message_id = any(%(message_ids)s::uuid[])

-- name: mark_branches
-- Which messages lie on a branch that people left; where that is known already, nothing is written.
update pm.chat_message set
  tool = case when message_id = any(%(side)s::uuid[]) then tool || '{"branch": "side"}' else tool - 'branch' end
where tenant_id = %(tenant)s and owner_id = %(owner)s and session_id = %(session_id)s
  and message_id = any(%(message_ids)s::uuid[])
  and (message_id = any(%(side)s::uuid[])) <> (coalesce(tool->>'branch', '') = 'side')

-- name: set_overview
-- The working overview of a running session.
update pm.chat_session set overview = %(overview)s
where tenant_id = %(tenant)s and owner_id = %(owner)s and session_id = %(session_id)s

-- name: set_policy
-- What the session may do with memory. What was said while it left nothing behind stays so when that ends.
update pm.chat_session set policy = %(policy)s,
  committed_seq = case when policy <> 'normal' then last_seq else committed_seq end
where tenant_id = %(tenant)s and owner_id = %(owner)s and session_id = %(session_id)s
returning session_id
