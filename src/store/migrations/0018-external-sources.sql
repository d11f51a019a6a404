-- An external id belongs to a source: the system that gave it. Those that were there came with ingest. A default that is the same for
-- every row is kept once, so no row is rewritten; only the key is built again.
alter table orrery.external_id add column source text collate "C" not null default 'ingest';
alter table orrery.external_id alter column source drop default;
alter table orrery.external_id drop constraint external_id_pkey,
  add primary key (org_id, type_id, source, external_id);
