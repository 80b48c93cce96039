-- name: role
-- Who we are logged in as, and what plans this session makes.
select session_user as login, current_user as acting, r.rolsuper, r.rolbypassrls, r.rolcreaterole, r.rolcreatedb,
  current_setting('plan_cache_mode') as plan_cache_mode, current_setting('server_version_num')::int as server,
  (select extversion from pg_extension where extname = 'vector') as vector,
  pg_has_role(session_user, 'pm_app', 'member') as is_app
from pg_roles r where r.rolname = session_user

-- name: tables
-- Every table with user data, and how it stands behind the wall.
select n.nspname as schema, c.relname as name, c.relrowsecurity as enabled, c.relforcerowsecurity as forced,
  pg_has_role(session_user, c.relowner, 'member') as owned,
  (select count(*) from pg_policy p where p.polrelid = c.oid) as policies
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p') and n.nspname in ('pm', 'pm_checkpoint', 'pm_jobs') and c.relname <> 'checkpoint_migrations'
order by 1, 2

-- name: loose_keys
-- Unique keys of ours that do not begin with the tenant: each would tell whether a foreign id exists.
select c.relname as name, i.indexrelid::regclass::text as key
from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'pm' and i.indisunique
  and (select attname from pg_attribute a where a.attrelid = c.oid and a.attnum = i.indkey[0]) is distinct from 'tenant_id'

-- name: open_policies
-- Policies for the application's role that admit a row without asking whose it is.
select policyname as name, schemaname || '.' || tablename as table_name from pg_policies
where schemaname in ('pm', 'pm_checkpoint') and permissive = 'PERMISSIVE' and roles && array['public', 'pm_app']::name[]
  and not (coalesce(qual, 'pm.tenant()') like '%pm.tenant()%' and coalesce(with_check, 'pm.tenant()') like '%pm.tenant()%')

-- name: open_views
-- Views and functions that would run with their owner's rights.
select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('v', 'm') and n.nspname in ('pm', 'pm_checkpoint', 'pm_jobs')
  and not coalesce(c.reloptions @> array['security_invoker=true'], false)
union all
select p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace
where p.prosecdef and n.nspname in ('pm', 'pm_checkpoint', 'pm_jobs')

-- name: rows_for_nobody
-- With no identity set there must be nothing to see.
select (select count(*) from pm.note) + (select count(*) from pm.chat_session) + (select count(*) from pm.chat_message)
  + (select count(*) from pm.memory_records) + (select count(*) from pm.context_catalog)
  + (select count(*) from pm_checkpoint.checkpoints) + (select count(*) from pm_jobs.procrastinate_jobs) as count

-- name: migration
-- The newest migration that ran.
select coalesce(max(number), 0) as number from pm_meta.migration
