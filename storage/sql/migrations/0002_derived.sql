-- Derived from truth and rebuildable. As of miv m: born <= m and died > m. An edit sets died and inserts; an erasure
-- deletes all versions. Model outputs that cannot be recomputed are kept by input digest.

create table pm.resource_records (
  tenant_id         pm.id,
  owner_id          pm.id,
  resource_id       uuid,
  resource_type     text not null check (resource_type in ('note', 'session', 'import', 'attachment', 'system')),
  source_type       text not null,
  source_id         text collate "C" not null,
  space             text not null,
  session_id        uuid,
  visibility        text not null,
  uri               text collate "C" not null,
  title             text not null default '',
  hash              bytea not null,
  projection_status text not null check (projection_status in ('pending', 'ready', 'failed', 'deleted')),
  reason            text,
  updated_at        timestamptz not null default now(),
  primary key (tenant_id, owner_id, resource_id),
  unique (tenant_id, owner_id, source_type, source_id)
);

create table pm.model_output (
  tenant_id    pm.id,
  owner_id     pm.id,
  input_digest bytea,
  task         text,
  model        text,
  source_id    text collate "C" not null,
  output       jsonb not null,
  made_at      timestamptz not null default now(),
  primary key (tenant_id, owner_id, input_digest, task, model)
);
create index on pm.model_output (tenant_id, owner_id, source_id);

create table pm.memory_records (
  tenant_id         pm.id,
  owner_id          pm.id,
  memory_id         uuid,
  version           int,
  agent_id          text collate "C" not null default '',
  memory_type       text not null,
  merge_key         text not null,
  subject           text not null,
  facet             text not null,
  status            text not null check (status in ('current', 'superseded', 'retracted')),
  layer             text not null,
  language          text not null,
  speaker           text,
  abstract          text not null,
  summary           text not null,
  content           text not null,
  confidence        real not null,
  pinned            boolean not null default false,
  needs_merge       boolean not null default false,
  event_time        timestamptz,
  mention_time      timestamptz,
  valid_from        timestamptz,
  valid_to          timestamptz,
  last_validated_at timestamptz,
  superseded_by     uuid,
  reason            text,
  commit_id         uuid,
  stats             jsonb not null default '{}',
  born              bigint not null,
  died              bigint not null default 9223372036854775807,
  primary key (tenant_id, owner_id, memory_id, version)
);
create unique index memory_live on pm.memory_records (tenant_id, owner_id, memory_id) where died = 9223372036854775807;
create unique index memory_merge_key on pm.memory_records (tenant_id, owner_id, agent_id, merge_key)
  where died = 9223372036854775807 and status = 'current' and memory_type not in ('EVENT', 'CASE');
create index on pm.memory_records (tenant_id, owner_id, commit_id);

-- statement is the candidate's own sentence, so that a memory can be merged again when one of its sources goes.
create table pm.evidence (
  tenant_id    pm.id,
  owner_id     pm.id,
  memory_id    uuid,
  candidate    bytea,
  quote_digest bytea,
  source_uri   text collate "C" not null,
  message_id   uuid,
  lines        int4range,
  quote        text not null,
  statement    text not null,
  commit_id    uuid,
  captured_at  timestamptz not null,
  primary key (tenant_id, owner_id, memory_id, candidate, quote_digest)
);
create index on pm.evidence (tenant_id, owner_id, source_uri);

-- The one retrieval index: every node, one row a version; a row never changes but for died and norm.
create table pm.context_catalog (
  tenant_id    pm.id,
  owner_id     pm.id,
  vid          bigint generated always as identity,
  uri          text collate "C" not null,
  parent_uri   text collate "C",
  level        smallint not null check (level in (0, 1, 2)),
  is_leaf      boolean not null,
  context_type text not null,
  space        text not null,
  visibility   text not null,
  agent_id     text collate "C" not null default '',
  session_id   uuid,
  layer        text not null,
  status       text not null,
  source_type  text,
  source_id    text collate "C" not null,
  source_name  text not null default '',
  record_id    uuid,
  ordinal      int not null default 0,
  leaf_count   int not null default 1,
  lines        int4range,
  digest       bytea not null,
  title        text not null default '',
  abstract     text not null,
  overview     text,
  body         text,
  speaker      text,
  pos          bigint not null default 0,
  norm         real not null default 1,
  prior        real not null default 0,
  length       int not null default 0,
  happened_at  timestamptz,
  born         bigint not null,
  died         bigint not null default 9223372036854775807,
  primary key (tenant_id, owner_id, vid)
);
create unique index catalog_live_uri on pm.context_catalog (tenant_id, owner_id, uri) where died = 9223372036854775807;
create index catalog_live_parent on pm.context_catalog (tenant_id, owner_id, parent_uri) where died = 9223372036854775807;
create index on pm.context_catalog (tenant_id, owner_id, source_id);
create index on pm.context_catalog (tenant_id, owner_id, died) where died < 9223372036854775807;

-- No foreign key: it costs twenty times the insert. Rows go with their node in the same statement.
create table pm.posting (
  tenant_id pm.id,
  owner_id  pm.id,
  term      text collate "C",
  vid       bigint,
  tf        smallint not null,
  primary key (tenant_id, owner_id, term, vid) include (tf)
);
create index on pm.posting (tenant_id, owner_id, vid);

create table pm.vector (
  tenant_id    pm.id,
  owner_id     pm.id,
  engine       text,
  context_type text,
  vid          bigint,
  embedding    halfvec not null,
  primary key (tenant_id, owner_id, engine, context_type, vid),
  foreign key (tenant_id, owner_id, vid) references pm.context_catalog on delete cascade
);
create index on pm.vector (tenant_id, owner_id, vid);
alter table pm.vector alter embedding set storage plain;  -- 1536 dimensions out of line are four times slower

create table pm.context_ref (
  tenant_id  pm.id,
  owner_id   pm.id,
  source_uri text collate "C",
  ref_type   text check (ref_type in ('used', 'evidence', 'supersedes', 'links', 'attachment')),
  target_uri text collate "C",
  commit_id  uuid,
  primary key (tenant_id, owner_id, source_uri, ref_type, target_uri)
);
create index on pm.context_ref (tenant_id, owner_id, target_uri);

-- active_count of a uri as of m is the number of its rows with miv <= m.
create table pm.usage_event (
  tenant_id pm.id,
  owner_id  pm.id,
  uri       text collate "C",
  commit_id uuid,
  miv       bigint not null,
  used_at   timestamptz not null,
  primary key (tenant_id, owner_id, uri, commit_id)
);

create table pm.session_commit (
  tenant_id   pm.id,
  owner_id    pm.id,
  commit_id   uuid,
  session_id  uuid not null,
  from_seq    bigint not null,
  upto_seq    bigint not null,
  state       text not null default 'claimed' check (state in ('claimed', 'pending', 'done', 'partial', 'failed')),
  fence       bigint not null default 0,
  reason      text,
  candidates  jsonb not null default '[]',
  stats       jsonb not null default '{}',
  miv         bigint,
  created_at  timestamptz not null default now(),
  finished_at timestamptz,
  primary key (tenant_id, owner_id, commit_id),
  unique (tenant_id, owner_id, session_id, from_seq),
  foreign key (tenant_id, owner_id, session_id) references pm.chat_session on delete cascade
);

-- The ordered feed, its cursor and the audit trail in one: gap-free, because the clock orders it.
create table pm.event (
  tenant_id pm.id,
  owner_id  pm.id,
  miv       bigint,
  ordinal   int,
  kind      text not null,
  uri       text collate "C",
  digest    bytea,
  reason    text,
  at        timestamptz not null default now(),
  primary key (tenant_id, owner_id, miv, ordinal)
);

-- How an answer came to be: references, digests and scores, no text, so erasing a source empties its traces.
create table pm.trace (
  tenant_id  pm.id,
  owner_id   pm.id,
  trace_id   uuid,
  session_id uuid,
  run_id     uuid,
  pin        jsonb not null,
  body       jsonb not null,
  at         timestamptz not null default now(),
  primary key (tenant_id, owner_id, trace_id)
);
create index on pm.trace (tenant_id, owner_id, session_id, at desc);
