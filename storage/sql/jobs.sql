-- name: waiting
-- Whether this very transaction has deferred such a job already. A job of another transaction does not count: it may
-- run before this one commits, and would then not see its rows.
select exists (select 1 from procrastinate_jobs j
  where args ->> 'tenant' = %(tenant)s and args ->> 'user' = %(owner)s and args ->> 'agent' = %(agent)s
    and status = 'todo' and task_name = %(task)s and args @> %(ids)s
    and j.xmin::text = (pg_current_xact_id()::text::numeric %% 4294967296)::text) as waiting

-- name: counts
-- Jobs of this owner by task and status.
select task_name, status::text as status, count(*) as count from procrastinate_jobs
where args ->> 'tenant' = %(tenant)s and args ->> 'user' = %(owner)s group by task_name, status
