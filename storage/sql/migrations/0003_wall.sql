-- The wall: forced row-level security on every table of the schema. A later migration that adds a table calls
-- pm.raise_wall() again; the self-test at boot refuses to serve if a table was forgotten.

create function pm.raise_wall() returns void language plpgsql as $$
declare t text;
begin
  for t in select tablename from pg_tables where schemaname = 'pm' and tablename <> 'migration' loop
    execute format('alter table pm.%I enable row level security', t);
    execute format('alter table pm.%I force row level security', t);
    execute format('drop policy if exists see on pm.%I', t);
    execute format('drop policy if exists own on pm.%I', t);
    -- Shared rows ('*') are seen by the tenant's users and written by none of them.
    execute format($p$create policy see on pm.%I for select
      using (tenant_id = pm.tenant() and owner_id in (pm.usr(), '*') and pm.usr() is not null)$p$, t);
    execute format($p$create policy own on pm.%I for all
      using (tenant_id = pm.tenant() and owner_id = pm.usr())
      with check (tenant_id = pm.tenant() and owner_id = pm.usr())$p$, t);
  end loop;
  -- What was distilled for one agent is seen by that agent only, though it lies in the user's partition.
  for t in select table_name from information_schema.columns where table_schema = 'pm' and column_name = 'agent_id' loop
    execute format('drop policy if exists agent on pm.%I', t);
    execute format($p$create policy agent on pm.%I as restrictive using (agent_id in ('', pm.agent()))$p$, t);
  end loop;
end $$;
revoke execute on function pm.raise_wall() from public;
select pm.raise_wall();

grant usage on schema pm to pm_app;
grant select, insert, update, delete on all tables in schema pm to pm_app;
revoke update, delete on pm.event from pm_app;  -- the audit trail only grows
alter default privileges in schema pm grant select, insert, update, delete on tables to pm_app;
