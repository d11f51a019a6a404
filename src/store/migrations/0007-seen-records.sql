-- The newest records first, those linked to the org apart from those that are private to users: what one user sees is
-- read without the records that are private to others, and whoever sees everything merges both. It has as many entries as
-- before, so writing a record costs the same.
--
-- Both indexes are built beside the ones that they replace: until then the table can be read.
create index record_created_apart
  on orrery.record (org_id, type_id, org_visible, (substring(uuid_send(id) from 1 for 6)) desc, id);

-- Of two indexes that would cost the same, PostgreSQL takes the newer one; before its first statistics that must be the
-- primary key.
create unique index record_key on orrery.record (org_id, type_id, id);

drop index orrery.record_created;
alter index orrery.record_created_apart rename to record_created;
alter table orrery.record drop constraint record_pkey, add constraint record_pkey primary key using index record_key;
