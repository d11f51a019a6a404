-- Records can be erased: none of their values remains. A restore of an older backup erases them again.

-- The duplicates that were merged into a record. They are erased with it, because their values belong to the same person. The
-- rows stay as long as that record: a backup may have the duplicate long after it was purged.
create table orrery.merged (
  org_id integer not null,
  duplicate_id uuid not null,
  kept_id uuid not null,
  type_id integer not null,
  -- Whether the duplicate was restored. It is a record of its own again, and the other one may keep values of it.
  parted boolean not null default false,
  -- When it was last seen that the row is needed.
  needed_at timestamptz not null default now(),
  primary key (org_id, duplicate_id, kept_id)
);
create index merged_kept on orrery.merged (org_id, kept_id);
create index merged_needed on orrery.merged (org_id, needed_at);

-- The records that were erased, remembered beyond a restore as closed keys are. So nothing here refers to other tables.
create table orrery.erased (
  org_id integer not null,
  record_id uuid not null,
  type_id integer not null,
  erased_at timestamptz not null default now(),
  -- Whether values may be left in its history, which a job erases.
  unfinished boolean not null,
  primary key (org_id, record_id)
);
create index erased_unfinished on orrery.erased (org_id, erased_at) where unfinished;

-- Whether the answer repeats values that were refused. Nobody knows whose they are, so every erasure removes them. Answers of
-- earlier releases may.
alter table orrery.idempotency add column quotes boolean not null default true;
