-- Orgs and who may use them. org_id leads every key of every tenant table, so that each statement finds its rows in one
-- place and a cluster can be distributed by org.

-- One row. Every administrative change raises the version while it holds the row's lock, so versions appear in the
-- order of commits; processes compare it with what they have cached (engine/epoch).
create table orrery.epoch (
  only_row boolean primary key default true check (only_row),
  version bigint not null
);
insert into orrery.epoch (version) values (0);

create sequence orrery.org_id as integer;

create table orrery.org (
  org_id integer primary key,
  name text not null,
  currency text not null,
  rate_quota integer not null check (rate_quota > 0),
  rate_window_seconds integer not null check (rate_window_seconds > 0),
  -- The version of orrery.epoch at the last change of the org, its credentials or its schema.
  changed_in bigint not null,
  created_at timestamptz not null default now()
);

create table orrery.user (
  org_id integer not null references orrery.org,
  user_id uuid not null,
  name text not null,
  email text,
  created_at timestamptz not null default now(),
  primary key (org_id, user_id)
);

create table orrery.credential (
  org_id integer not null references orrery.org,
  credential_id text collate "C" not null,
  name text not null,
  user_id uuid,
  reach text not null check (reach in ('user', 'org')),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (org_id, credential_id),
  foreign key (org_id, user_id) references orrery.user,
  check (reach = 'org' or user_id is not null)
);

-- A credential has one secret without an end, and those that rotation has left for their grace period.
create table orrery.secret (
  org_id integer not null,
  credential_id text collate "C" not null,
  digest bytea not null,
  valid_until timestamptz,
  created_at timestamptz not null default now(),
  primary key (org_id, credential_id, digest),
  foreign key (org_id, credential_id) references orrery.credential
);

create table orrery.grant (
  org_id integer not null,
  credential_id text collate "C" not null,
  position smallint not null,
  object_types text[] not null,
  operations text[] not null,
  primary key (org_id, credential_id, position),
  foreign key (org_id, credential_id) references orrery.credential
);

-- What the org adds to the built-in vocabulary, as one document: it is read whole and grown whole.
create table orrery.custom_schema (
  org_id integer primary key references orrery.org,
  document jsonb not null,
  updated_at timestamptz not null default now()
);

-- The org's current rate window. granted_* is what the last lease got: an update can return only what it has written.
create table orrery.rate_window (
  org_id integer primary key references orrery.org,
  started_at timestamptz not null,
  leased integer not null,
  unspent integer not null,
  granted_now integer not null,
  granted_ahead integer not null
) with (fillfactor = 50);
