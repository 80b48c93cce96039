-- name: claim
-- One archive for a range: compare-and-set on the session row, which the caller has locked.
insert into pm.session_commit (tenant_id, owner_id, commit_id, session_id, from_seq, upto_seq)
values (%(tenant)s, %(owner)s, %(commit_id)s, %(session_id)s, %(from_seq)s, %(upto_seq)s)
on conflict do nothing returning commit_id

-- name: set_committed
-- Messages up to here belong to a commit.
update pm.chat_session set committed_seq = %(upto_seq)s
where tenant_id = %(tenant)s and owner_id = %(owner)s and session_id = %(session_id)s and committed_seq = %(from_seq)s
returning session_id

-- name: get
-- One commit.
select commit_id, session_id, from_seq, upto_seq, state, fence, reason, candidates, stats, miv, created_at, finished_at
from pm.session_commit where tenant_id = %(tenant)s and owner_id = %(owner)s and commit_id = %(commit_id)s

-- name: of_session
-- The commits of a session in order.
select commit_id, session_id, from_seq, upto_seq, state, fence, reason, candidates, stats, miv, created_at, finished_at
from pm.session_commit where tenant_id = %(tenant)s and owner_id = %(owner)s and session_id = %(session_id)s
order by from_seq

-- name: unfinished
-- The oldest commit of a session that has not ended.
select commit_id from pm.session_commit
where tenant_id = %(tenant)s and owner_id = %(owner)s and session_id = %(session_id)s
  and state in ('claimed', 'pending', 'failed')
order by from_seq limit 1

-- name: take
-- A worker takes the commit: a higher fence refuses every older one.
update pm.session_commit set fence = fence + 1
where tenant_id = %(tenant)s and owner_id = %(owner)s and commit_id = %(commit_id)s
  and state in ('claimed', 'pending', 'failed')
returning fence

-- name: keep_candidates
-- What extraction proposed, kept before it is used.
update pm.session_commit set candidates = %(candidates)s
where tenant_id = %(tenant)s and owner_id = %(owner)s and commit_id = %(commit_id)s and fence = %(fence)s
  and state in ('claimed', 'pending', 'failed')
returning commit_id

-- name: flip
-- The one transaction that makes a commit count, under state and fence.
update pm.session_commit set state = %(state)s, reason = %(reason)s, candidates = %(candidates)s, stats = %(stats)s,
  miv = %(miv)s, finished_at = now()
where tenant_id = %(tenant)s and owner_id = %(owner)s and commit_id = %(commit_id)s and fence = %(fence)s
  and state in ('claimed', 'pending', 'failed')
returning commit_id

-- name: set_state
-- Say why a commit waits or failed.
update pm.session_commit set state = %(state)s, reason = %(reason)s
where tenant_id = %(tenant)s and owner_id = %(owner)s and commit_id = %(commit_id)s
  and state in ('claimed', 'pending', 'failed')
