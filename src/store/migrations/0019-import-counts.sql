-- Rows that were taken without bad cells, links that were made with rows, and links that had no target.
alter table orrery.import
  add column incomplete bigint not null default 0,
  add column linked bigint not null default 0,
  add column unlinked bigint not null default 0;
