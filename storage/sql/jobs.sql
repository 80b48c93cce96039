-- name: waiting
-- Whether such a job of this owner waits already; then another would only do the same work.
select exists (select 1 from procrastinate_jobs
  where args ->> 'tenant' = %(tenant)s and args ->> 'user' = %(owner)s and status = 'todo' and task_name = %(task)s
    and args @> %(ids)s) as waiting

-- name: counts
-- Jobs of this owner by task and status.
select task_name, status::text as status, count(*) as count from procrastinate_jobs
where args ->> 'tenant' = %(tenant)s and args ->> 'user' = %(owner)s group by task_name, status
