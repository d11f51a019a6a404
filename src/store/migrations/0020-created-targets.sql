-- The records that an import made because its links needed them.
alter table orrery.import add column targets_created bigint not null default 0;
