-- People sign in. Of what they prove themselves with only digests are stored, and every row is found by its org first.

-- A session is a credential: its bearers are short, and its cookie fetches the next one. It stays for a while after its end,
-- so that whoever still has a bearer of it is told what happened.
create table orrery.session (
  org_id integer not null references orrery.org,
  session_id text collate "C" not null,
  member_id uuid not null,
  cookie_digest bytea not null,
  -- How the member signed in, from where, and with which program.
  way text not null,
  address text,
  agent text,
  opened_at timestamptz not null default now(),
  -- When its cookie last fetched a bearer.
  used_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (org_id, session_id)
);
create index session_member on orrery.session (org_id, member_id) where ended_at is null;

create table orrery.bearer (
  org_id integer not null references orrery.org,
  session_id text collate "C" not null,
  digest bytea not null,
  valid_until timestamptz not null,
  primary key (org_id, session_id, digest)
);

-- Links that sign a member in once. With an invitation, the member can choose a password.
create table orrery.sign_in_link (
  org_id integer not null references orrery.org,
  link_id text collate "C" not null,
  member_id uuid not null,
  digest bytea not null,
  invites boolean not null,
  made_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (org_id, link_id)
);
create index sign_in_link_member on orrery.sign_in_link (org_id, member_id);

create table orrery.password (
  org_id integer not null references orrery.org,
  member_id uuid not null,
  salt bytea not null,
  -- What it takes to compute the digest: a later release may want more.
  cost integer not null,
  digest bytea not null,
  changed_at timestamptz not null default now(),
  primary key (org_id, member_id)
);

-- Failed tries of an account or an address, by a digest of its name: what was typed is not stored.
create table orrery.sign_in_try (
  org_id integer not null references orrery.org,
  subject text collate "C" not null,
  failures integer not null,
  -- When the first of them was, the last, and the one before it.
  since timestamptz not null,
  last_at timestamptz not null,
  before_at timestamptz not null,
  primary key (org_id, subject)
);

-- Email addresses of members who were deleted, as digests: nobody becomes a member again by signing in.
create table orrery.former_email (
  org_id integer not null references orrery.org,
  digest text collate "C" not null,
  primary key (org_id, digest)
);

-- The OpenID provider of an org. The client's secret is needed as it is.
create table orrery.oidc_provider (
  org_id integer primary key references orrery.org,
  issuer text not null,
  client_id text not null,
  client_secret text not null,
  -- The role of members that are created when they first sign in; null if none are.
  provision_role_id uuid,
  email_domains text[] not null
);

-- Whom a subject of a provider is. It stays when the member is deleted, so that nobody comes back by it.
create table orrery.oidc_subject (
  org_id integer not null references orrery.org,
  issuer text collate "C" not null,
  subject text collate "C" not null,
  member_id uuid not null,
  bound_at timestamptz not null default now(),
  primary key (org_id, issuer, subject)
);
create unique index oidc_subject_member on orrery.oidc_subject (org_id, issuer, member_id);
