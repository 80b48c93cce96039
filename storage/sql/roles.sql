-- Cluster roles and the doors of a database. Names in {braces} are filled with quoted identifiers and literals.

-- name: role_states
-- What the cluster says of our roles. PostgreSQL 15 has no per-grant options: every grant there allows SET ROLE, and
-- whether it is inherited is the member's own INHERIT attribute; to_jsonb reads both layouts.
select r.rolname as name,
       r.rolcanlogin as login,
       r.rolinherit as inherit,
       r.rolsuper or r.rolcreaterole or r.rolcreatedb or r.rolreplication or r.rolbypassrls as privileged,
       coalesce(r.rolconfig, array[]::text[]) as settings,
       coalesce(g.may_set and not g.inherits, false) as janitor
from pg_roles r
left join lateral (
  select bool_or(coalesce((to_jsonb(m) ->> 'set_option')::boolean, true)) as may_set,
         bool_or(coalesce((to_jsonb(m) ->> 'inherit_option')::boolean, r.rolinherit)) as inherits
  from pg_auth_members m
  join pg_roles j on j.oid = m.roleid and j.rolname = {janitor_name}
  where m.member = r.oid
) g on true
where r.rolname = any({names});

-- name: create_janitor
-- Nobody logs in as this role; migrations let it delete checkpoints and nothing else.
create role {role} nologin noinherit nosuperuser nocreatedb nocreaterole noreplication nobypassrls;

-- name: create_owner
-- INHERIT, so that ownership of a database reaches its schema `public`.
create role {role} login inherit nosuperuser nocreatedb nocreaterole noreplication nobypassrls password {password};

-- name: create_login
-- A role that serves or works: what it is granted directly, and no more.
create role {role} login noinherit nosuperuser nocreatedb nocreaterole noreplication nobypassrls password {password};

-- name: strip_privileges
-- A role that can go round row-level security must not serve anybody.
alter role {role} nosuperuser nocreatedb nocreaterole noreplication nobypassrls;

-- name: set_login
alter role {role} {login} {inherit};

-- name: set_password
alter role {role} password {password};

-- name: set_default
alter role {role} set {parameter} = {value};

-- name: grant_janitor
-- From PostgreSQL 16: SET LOCAL ROLE is allowed, nothing is inherited.
grant {janitor} to {role} with inherit false, set true;

-- name: grant_janitor_15
-- PostgreSQL 15: the member is NOINHERIT, which is the same.
grant {janitor} to {role};

-- name: close_database
-- PUBLIC may neither connect nor make temporary tables.
revoke all on database {database} from public;

-- name: open_database
-- Those who serve and work may connect; the owner may anyway.
grant connect on database {database} to {app}, {worker};
