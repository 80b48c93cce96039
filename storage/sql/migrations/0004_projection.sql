-- Projection: files as material, links between notes, where imports come from, containers that wait for their texts,
-- and what an embedder refused.

alter table pm.note drop constraint note_kind_check;
alter table pm.note add constraint note_kind_check check (kind in ('note', 'clip', 'import', 'whiteboard', 'analysis'));
alter table pm.note add column aliases text[] not null default '{}';
alter table pm.note add column dated timestamptz;

alter table pm.asset add column folder text not null default '';
alter table pm.asset add column source_name text not null default '';
alter table pm.asset add column owner_uri text collate "C";
alter table pm.asset add column link_name text collate "C" not null default '';  -- what links call it by
create index on pm.asset (tenant_id, owner_id, link_name);

-- Who made a node's abstract and overview: 'rule', or a model.
alter table pm.context_catalog add column written_by text not null default 'rule';

-- What began after a pin, to bring a snapshot that is at hand up to date.
create index on pm.context_catalog (tenant_id, owner_id, born);

-- The names a note can be called by, and the names it calls others by: both sides of a wiki link. References are the
-- join of the two, so a link to a note that comes later is found when it comes.
create table pm.note_name (
  tenant_id pm.id,
  owner_id  pm.id,
  name      text collate "C",
  note_id   uuid,
  primary key (tenant_id, owner_id, name, note_id),
  foreign key (tenant_id, owner_id, note_id) references pm.note on delete cascade
);
create index on pm.note_name (tenant_id, owner_id, note_id);

create table pm.note_link (
  tenant_id pm.id,
  owner_id  pm.id,
  name      text collate "C",
  note_id   uuid,
  target    text not null,
  primary key (tenant_id, owner_id, name, note_id, target),
  foreign key (tenant_id, owner_id, note_id) references pm.note on delete cascade
);
create index on pm.note_link (tenant_id, owner_id, note_id);

-- Which file of which imported folder a note or an asset came from. `root` is a hash of the folder's path; `content`
-- the digest of what the file gave last, so that an edit on either side can be told.
create table pm.import_file (
  tenant_id pm.id,
  owner_id  pm.id,
  root      bytea,
  path      text collate "C",
  note_id   uuid,
  asset_id  uuid,
  content   bytea not null,
  primary key (tenant_id, owner_id, root, path),
  check ((note_id is null) <> (asset_id is null)),
  foreign key (tenant_id, owner_id, note_id) references pm.note on delete cascade,
  foreign key (tenant_id, owner_id, asset_id) references pm.asset on delete cascade
);
create index on pm.import_file (tenant_id, owner_id, note_id);
create index on pm.import_file (tenant_id, owner_id, asset_id);

-- Containers whose children changed since their texts were made.
create table pm.stale_container (
  tenant_id  pm.id,
  owner_id   pm.id,
  uri        text collate "C",
  first_at   timestamptz not null default statement_timestamp(),
  touched_at timestamptz not null default statement_timestamp(),
  primary key (tenant_id, owner_id, uri)
);

-- What an embedder cannot place is found by words only, and stops nothing else.
create table pm.vector_refusal (
  tenant_id pm.id,
  owner_id  pm.id,
  engine    text,
  vid       bigint,
  reason    text not null,
  primary key (tenant_id, owner_id, engine, vid),
  foreign key (tenant_id, owner_id, vid) references pm.context_catalog on delete cascade
);
create index on pm.vector_refusal (tenant_id, owner_id, vid);

select pm.raise_wall();
