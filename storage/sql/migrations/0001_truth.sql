-- Truth: what a person made, who may see it, and the clock that numbers every change of one owner.
-- Roles (pm_app, pm_worker, pm_janitor) are made once per cluster, before migrations run; here they are only granted to.

create extension if not exists vector;
create schema pm;

create domain pm.id as text collate "C" check (value <> '' and length(value) <= 256);

-- Identity is set for one transaction only; unset reads as null, and null sees nothing.
create function pm.tenant() returns text language sql stable parallel safe
  as $$ select nullif(current_setting('pm.tenant', true), '') $$;
create function pm.usr() returns text language sql stable parallel safe
  as $$ select nullif(current_setting('pm.user', true), '') $$;
create function pm.agent() returns text language sql stable parallel safe
  as $$ select coalesce(current_setting('pm.agent', true), '') $$;

-- owner_id is the user, or '*' for what a tenant shares. miv counts the writing transactions of one owner under this
-- row's lock, so the order of numbers is the order of commits. engine is the embedder whose vectors answer queries.
create table pm.owner_clock (
  tenant_id  pm.id,
  owner_id   pm.id,
  miv        bigint not null default 0,
  oldest_miv bigint not null default 0,
  next_pos   bigint not null default 8,
  engine     text   not null,
  primary key (tenant_id, owner_id)
);

create table pm.note (
  tenant_id   pm.id,
  owner_id    pm.id,
  note_id     uuid,
  revision    int not null default 1,
  kind        text not null default 'note' check (kind in ('note', 'clip', 'import', 'whiteboard')),
  title       text not null,
  body        text not null,
  folder      text not null default '',
  tags        text[] not null default '{}',
  source_url  text,
  source_name text not null default '',
  first_line  int not null default 1,
  pinned      boolean not null default false,
  digest      bytea not null,
  created_at  timestamptz not null default now(),
  updated_at  timestamptz not null default now(),
  primary key (tenant_id, owner_id, note_id)
);
create index on pm.note (tenant_id, owner_id, updated_at desc);

-- turn_id, turn_fence and turn_until are the lease of the single writer.
create table pm.chat_session (
  tenant_id     pm.id,
  owner_id      pm.id,
  session_id    uuid,
  agent         text collate "C" not null default '',
  title         text not null default '',
  policy        text not null default 'normal' check (policy in ('normal', 'read_only', 'off')),
  last_seq      bigint not null default 0,
  committed_seq bigint not null default 0,
  overview      text not null default '',
  turn_id       uuid,
  turn_fence    bigint not null default 0,
  turn_until    timestamptz,
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now(),
  primary key (tenant_id, owner_id, session_id)
);
create index on pm.chat_session (tenant_id, owner_id, updated_at desc);

create table pm.chat_message (
  tenant_id  pm.id,
  owner_id   pm.id,
  session_id uuid,
  seq        bigint,
  message_id uuid not null,
  parent_id  uuid,
  role       text not null check (role in ('user', 'assistant', 'tool')),
  content    text not null,
  tool       jsonb not null default '{}',
  state      text not null default 'complete' check (state in ('complete', 'incomplete')),
  speaker    text,
  sent_at    timestamptz not null,
  zone       text,
  run_id     uuid,
  turn_id    uuid,
  primary key (tenant_id, owner_id, session_id, seq),
  unique (tenant_id, owner_id, message_id),
  foreign key (tenant_id, owner_id, session_id) references pm.chat_session on delete cascade
);

create table pm.asset (
  tenant_id pm.id,
  owner_id  pm.id,
  asset_id  uuid,
  digest    bytea not null,
  mime      text not null,
  name      text not null,
  bytes     bigint not null,
  added_at  timestamptz not null default now(),
  primary key (tenant_id, owner_id, asset_id)
);
create index on pm.asset (tenant_id, owner_id, digest);

-- What was deleted or corrected stays so after a rebuild: ids and hashed keys only, never text.
create table pm.tombstone (
  tenant_id   pm.id,
  owner_id    pm.id,
  source_id   text collate "C",
  memory_type text not null default '',
  merge_key   text not null default '',
  at          timestamptz not null default now(),
  primary key (tenant_id, owner_id, source_id, memory_type, merge_key)
);
