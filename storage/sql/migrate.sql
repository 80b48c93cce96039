-- name: try_lock
-- Take the migration lock of this database if it is free.
select pg_try_advisory_lock(%(key)s::bigint) as locked

-- name: unlock
-- Give the migration lock back.
select pg_advisory_unlock(%(key)s::bigint)

-- name: owns_schema
-- Whether this role owns our schema, or may make it.
select coalesce((select pg_has_role(current_user, nspowner, 'member') from pg_namespace where nspname = 'pm'),
  has_database_privilege(current_database(), 'create')) as owns

-- name: prepare
-- What has been applied is kept outside `pm`, so that every table there can stand behind the wall.
create schema if not exists pm_meta;
create schema if not exists pm_jobs;
create schema if not exists pm_checkpoint;
create table if not exists pm_meta.migration (
  number int primary key, name text not null, digest text not null, at timestamptz not null default now());
create table if not exists pm_meta.library (library text primary key, version text not null);
grant usage on schema pm_meta, pm_jobs, pm_checkpoint to pm_app, pm_worker;
grant select on all tables in schema pm_meta to pm_app, pm_worker

-- name: applied
-- The migrations that ran here.
select number, digest from pm_meta.migration order by number

-- name: record
-- One migration ran.
insert into pm_meta.migration (number, name, digest) values (%(number)s, %(name)s, %(digest)s)

-- name: library
-- The version of a library's own schema.
select version from pm_meta.library where library = %(library)s

-- name: set_library
-- A library's own schema was brought to a version.
insert into pm_meta.library (library, version) values (%(library)s, %(version)s)
on conflict (library) do update set version = excluded.version

-- name: into_checkpoints
-- LangGraph makes its tables in the first schema of the path.
set search_path = pm_checkpoint, public

-- name: into_jobs
-- Procrastinate makes its tables in the first schema of the path.
set local search_path = pm_jobs, public

-- name: checkpoint_version
-- How far LangGraph's checkpoint tables have come.
select version::int as version from pm_meta.library where library = 'checkpoint'

-- name: checkpoint_wall
-- Checkpoints belong to a tenant and an owner by default expression; their keys stay LangGraph's (random UUID
-- threads), which is the one exception to "every key starts with the tenant". The janitor may only delete.
do $$
declare t text;
begin
  foreach t in array array['checkpoints', 'checkpoint_blobs', 'checkpoint_writes'] loop
    execute format('alter table pm_checkpoint.%I add column if not exists tenant_id pm.id not null default pm.tenant()', t);
    execute format('alter table pm_checkpoint.%I add column if not exists owner_id pm.id not null default pm.usr()', t);
    execute format('alter table pm_checkpoint.%I enable row level security', t);
    execute format('alter table pm_checkpoint.%I force row level security', t);
    execute format('drop policy if exists own on pm_checkpoint.%I', t);
    execute format('drop policy if exists janitor on pm_checkpoint.%I', t);
    execute format('drop policy if exists janitor_sees on pm_checkpoint.%I', t);
    execute format($p$create policy own on pm_checkpoint.%I to pm_app, pm_worker
      using (tenant_id = pm.tenant() and owner_id = pm.usr())
      with check (tenant_id = pm.tenant() and owner_id = pm.usr())$p$, t);
    execute format('create policy janitor on pm_checkpoint.%I for delete to pm_janitor using (true)', t);
    execute format('create policy janitor_sees on pm_checkpoint.%I for select to pm_janitor using (true)', t);
    execute format('grant select, insert, update, delete on pm_checkpoint.%I to pm_app', t);
    execute format('grant delete on pm_checkpoint.%I to pm_janitor', t);
  end loop;
  grant usage on schema pm_checkpoint to pm_janitor;
  grant select (thread_id, checkpoint_ns, checkpoint_id, metadata) on pm_checkpoint.checkpoints to pm_janitor;
  grant select (thread_id) on pm_checkpoint.checkpoint_blobs to pm_janitor;
  grant select (thread_id, checkpoint_ns, checkpoint_id) on pm_checkpoint.checkpoint_writes to pm_janitor;
  grant select on pm_checkpoint.checkpoint_migrations to pm_app;
end $$

-- name: jobs_wall
-- A job carries ids only. The app role sees and defers its own tenant's and user's jobs; a worker sees all.
do $$
declare t text;
begin
  for t in select tablename from pg_tables where schemaname = 'pm_jobs' loop
    execute format('alter table pm_jobs.%I enable row level security', t);
    execute format('alter table pm_jobs.%I force row level security', t);
    execute format('drop policy if exists worker on pm_jobs.%I', t);
    execute format('create policy worker on pm_jobs.%I to pm_worker using (true) with check (true)', t);
    -- Foreign keys and their triggers act as the owner, whom forced security would stop as well.
    execute format('drop policy if exists keeper on pm_jobs.%I', t);
    execute format('create policy keeper on pm_jobs.%I to current_user using (true) with check (true)', t);
    execute format('grant select, insert, update, delete on pm_jobs.%I to pm_worker', t);
  end loop;
  drop policy if exists own on pm_jobs.procrastinate_jobs;
  create policy own on pm_jobs.procrastinate_jobs to pm_app
    using (args ->> 'tenant' = pm.tenant() and args ->> 'user' = pm.usr())
    with check (args ->> 'tenant' = pm.tenant() and args ->> 'user' = pm.usr());
  drop policy if exists own on pm_jobs.procrastinate_events;
  create policy own on pm_jobs.procrastinate_events to pm_app
    using (exists (select 1 from pm_jobs.procrastinate_jobs j where j.id = job_id))
    with check (exists (select 1 from pm_jobs.procrastinate_jobs j where j.id = job_id));
  grant select, insert on pm_jobs.procrastinate_jobs, pm_jobs.procrastinate_events to pm_app;
  grant usage on all sequences in schema pm_jobs to pm_app, pm_worker;
  grant usage on schema pm to pm_worker;
  create index if not exists jobs_owner on pm_jobs.procrastinate_jobs ((args ->> 'tenant'), (args ->> 'user'), status);
end $$
