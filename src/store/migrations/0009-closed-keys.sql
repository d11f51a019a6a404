-- Keys that were revoked and secrets that were rotated away, remembered beyond a restore: a backup may be older than the
-- revocation, and may be restored after one that does not have the key at all. So nothing here refers to other tables.
create table orrery.closed_key (
  org_id integer not null,
  credential_id text collate "C" not null,
  -- Of the secret; empty if the whole key is closed.
  digest bytea not null,
  -- For a secret the end of its grace period, which may be in the future.
  closed_at timestamptz not null,
  primary key (org_id, credential_id, digest)
);
insert into orrery.closed_key (org_id, credential_id, digest, closed_at)
  select org_id, credential_id, '', revoked_at from orrery.credential where revoked_at is not null
  union all
  select org_id, credential_id, digest, valid_until from orrery.secret where valid_until is not null;
