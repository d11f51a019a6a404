-- Automatic indexes that nobody asks for any more give up their slots. begun_at is now the time when building, retiring or
-- dropping began.

alter table orrery.property_index drop constraint property_index_state_check;
alter table orrery.property_index add constraint property_index_state_check
  check (state in ('building', 'ready', 'retired', 'dropping'));

-- When a query last asked for it, to the hour, and the key whose share of the slots it counts against: the one that wished
-- for it. Indexes from before this count against nobody.
alter table orrery.property_index add column asked_at timestamptz not null default now();
alter table orrery.property_index add column credential_id text collate "C";
