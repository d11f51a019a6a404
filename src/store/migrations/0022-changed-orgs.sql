-- Which orgs have changed in which revision is beside the counter that tells processes to look. On a cluster both are on the first
-- server, so that nobody who looks has to ask the servers of all orgs, of which one may be away. An org without a row has
-- not changed since. Nothing is copied: processes forget all that they know when they are stopped for this release.
create table orrery.changed_org (
  org_id integer primary key,
  changed_in bigint not null
);
alter table orrery.org drop column changed_in;
