-- name: counts
-- Jobs of this owner by task and status.
select task_name, status::text as status, count(*) as count from procrastinate_jobs
where args ->> 'tenant' = %(tenant)s and args ->> 'user' = %(owner)s group by task_name, status

-- name: listed
-- Jobs of this owner: what failed first, then in the order in which they came.
select id, task_name, status::text as status, attempts, scheduled_at, args from procrastinate_jobs
where args ->> 'tenant' = %(tenant)s and args ->> 'user' = %(owner)s and status <> 'succeeded'
  and (not %(failed)s or status in ('failed', 'aborted'))
order by status not in ('failed', 'aborted'), id limit %(limit)s

-- name: soon
-- A job of this kind that starts within a minute.
select id from procrastinate_jobs
where args ->> 'tenant' = %(tenant)s and args ->> 'user' = %(owner)s and status = 'todo' and task_name = %(task)s
  and coalesce(scheduled_at, now()) <= now() + interval '60 seconds' limit 1

-- name: keep_error
-- The class of a job's last error; a worker's statement.
update procrastinate_jobs set args = args || jsonb_build_object('error', %(error)s::text) where id = %(job_id)s

-- name: retry
-- Failed jobs of one owner run again from their first attempt, those that wait for another attempt at once; a worker's
-- statement, hence the owner in it.
update procrastinate_jobs set status = 'todo', attempts = 0, scheduled_at = now()
where args ->> 'tenant' = %(tenant)s and args ->> 'user' = %(owner)s
  and (status in ('failed', 'aborted') or (status = 'todo' and attempts > 0))
  and (%(job_id)s::bigint is null or id = %(job_id)s)
returning id
