-- name: counts
-- Jobs of this owner by task and status.
select task_name, status::text as status, count(*) as count from procrastinate_jobs
where args ->> 'tenant' = %(tenant)s and args ->> 'user' = %(owner)s group by task_name, status
