-- The newest records first, those linked to the org apart from those that are private to users: what one user sees is
-- read without the records that are private to others, and whoever sees everything merges both. It has as many entries as
-- before, so writing a record costs the same.
drop index orrery.record_created;
create index record_created
  on orrery.record (org_id, type_id, org_visible, (substring(uuid_send(id) from 1 for 6)) desc, id);

-- Of two indexes that would cost the same, PostgreSQL takes the newer one; before its first statistics that must be the
-- primary key.
alter table orrery.record drop constraint record_pkey, add primary key (org_id, type_id, id);
