-- Records and all that hangs on them. Every table begins with org_id, so that one org's rows stand together and a
-- cluster can be distributed by org. There are no foreign keys here: the program writes a record and its rows in one
-- transaction, and a check per row would cost as much as the row.

-- What authenticates cursors. One row, made here: cursors work on every process and survive restarts.
create table orrery.cursor_secret (
  only_row boolean primary key default true check (only_row),
  secret bytea not null
);
insert into orrery.cursor_secret (secret)
values (sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')));

-- Live records alone: no read can forget a condition. Values stand under the names of their properties, as they were
-- sent, svc_created_at and svc_updated_at among them, so that a record is answered as it is stored.
create table orrery.record (
  org_id integer not null,
  type_id integer not null,
  id uuid not null,
  version bigint not null,
  updated_at timestamptz not null,
  -- Whether the record is linked to its org: those of reach `user` see it then (contract 7).
  org_visible boolean not null,
  properties jsonb not null,
  primary key (org_id, type_id, id)
);
-- Without compression: its size is known without reading it, and reading it costs less.
alter table orrery.record alter column properties set storage external;
create index record_updated on orrery.record (org_id, type_id, updated_at desc, id);

-- Deleted records, with everything that a restore needs. Their links stay where they are: a link is seen only while
-- both its ends are live, so a delete costs the same whatever hangs on the record.
create table orrery.trash (
  org_id integer not null,
  type_id integer not null,
  id uuid not null,
  version bigint not null,
  updated_at timestamptz not null,
  org_visible boolean not null,
  properties jsonb not null,
  deleted_at timestamptz not null,
  primary key (org_id, type_id, id)
);
create index trash_deleted on orrery.trash (org_id, deleted_at, id);

-- The users that a record is linked to; presented as svc_record_to_user.
create table orrery.record_user (
  org_id integer not null,
  user_id uuid not null,
  type_id integer not null,
  record_id uuid not null,
  created_at timestamptz not null,
  primary key (org_id, user_id, type_id, record_id)
);
create index record_user_record on orrery.record_user (org_id, type_id, record_id);

-- An indexed property has a row for each live record, unset ones marked, so that "unset last" is a walk of the index.
-- An unset row's value means nothing.
create table orrery.index_text (
  org_id integer not null,
  type_id integer not null,
  property_id integer not null,
  unset boolean not null,
  value text collate "C" not null,
  record_id uuid not null,
  primary key (org_id, type_id, property_id, unset, value, record_id)
);
create table orrery.index_number (
  org_id integer not null,
  type_id integer not null,
  property_id integer not null,
  unset boolean not null,
  value numeric not null,
  record_id uuid not null,
  primary key (org_id, type_id, property_id, unset, value, record_id)
);
create table orrery.index_time (
  org_id integer not null,
  type_id integer not null,
  property_id integer not null,
  unset boolean not null,
  value timestamptz not null,
  record_id uuid not null,
  primary key (org_id, type_id, property_id, unset, value, record_id)
);

-- Who holds a unique value. The key decides every race.
create table orrery.unique_value (
  org_id integer not null,
  type_id integer not null,
  property_id integer not null,
  value text collate "C" not null,
  record_id uuid not null,
  primary key (org_id, type_id, property_id, value)
);

-- The folded words of a record. Each lexeme carries org and type in front (1_1_ada), so that the index is scoped to an
-- org by its own keys. Without fastupdate no write ever stalls on a pending list.
create table orrery.search (
  org_id integer not null,
  type_id integer not null,
  record_id uuid not null,
  words tsvector not null,
  primary key (org_id, type_id, record_id)
);
create index search_words on orrery.search using gin (words) with (fastupdate = off);

create table orrery.association (
  org_id integer not null,
  source_id uuid not null,
  association_type_id integer not null,
  target_id uuid not null,
  source_type_id integer not null,
  target_type_id integer not null,
  created_at timestamptz not null,
  primary key (org_id, source_id, association_type_id, target_id)
);
create index association_target on orrery.association (org_id, target_id, association_type_id, source_id);

-- The change feed. `seq` is taken while the record's row is locked; `xid` tells which snapshot sees the entry. `changed`
-- is JSON text: all values of a record that was created or restored, old and new values of one that was updated.
create sequence orrery.change_seq;
create table orrery.change (
  org_id integer not null,
  seq bigint not null default nextval('orrery.change_seq'),
  xid xid8 not null default pg_current_xact_id(),
  kind smallint not null,
  type_id integer not null,
  record_id uuid not null,
  version bigint not null,
  changed text,
  association_type_id integer,
  target_type_id integer,
  target_id uuid,
  at timestamptz not null,
  principal_id text not null,
  request_id uuid not null,
  primary key (org_id, seq)
);

-- Answers of requests that wrote, by the key that the client gave them; `target` is a digest of method, path and query.
create table orrery.idempotency (
  org_id integer not null,
  credential_id text collate "C" not null,
  target bytea not null,
  key text collate "C" not null,
  body_digest bytea not null,
  answer text not null,
  created_at timestamptz not null default now(),
  primary key (org_id, credential_id, target, key)
);
create index idempotency_created on orrery.idempotency (org_id, created_at);
