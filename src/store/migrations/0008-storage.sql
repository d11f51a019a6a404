-- What an org stores, how much it may store, and long values stored once.

-- Null: no quota.
alter table orrery.org add column storage_quota bigint check (storage_quota > 0);

-- The estimated bytes of all rows of the org. Processes add what they have written about once a second, and
-- housekeeping counts the rows from time to time.
create table orrery.storage (
  org_id integer primary key references orrery.org,
  bytes bigint not null default 0,
  -- Null until the rows were counted for the first time.
  counted_at timestamptz
) with (fillfactor = 50);
insert into orrery.storage (org_id) select org_id from orrery.org;

-- As for live records: without compression its size is known without reading it.
alter table orrery.trash alter column properties set storage external;

-- Long values that records had, each with the version of the record that replaced it. Entries of the feed and kept
-- answers leave long values out: the value that a record had at version 5 is the one with the smallest version above 5,
-- and if there is none, the record has it still.
create table orrery.former_value (
  org_id integer not null,
  record_id uuid not null,
  property text collate "C" not null,
  version bigint not null,
  -- JSON text.
  value text not null,
  primary key (org_id, record_id, property, version)
);

-- The properties whose values are not in `changed`, and how many bytes those values have.
alter table orrery.change add column left_out text[], add column left_out_bytes integer;
