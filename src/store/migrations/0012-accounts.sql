-- Users and keys become records, as everything else in an org: members, roles and access keys. The program writes the
-- records (store/move-accounts), and then removes the tables that had them.

-- A secret names the record of its key. It outlives that record, so that whoever has it learns that the key was revoked.
alter table orrery.secret drop constraint secret_org_id_credential_id_fkey;
alter table orrery.secret add column record_id uuid;

-- Users could share an email address; members cannot. The oldest keeps it, and the others are here until they have one.
create table orrery.shared_email (
  org_id integer not null,
  member_id uuid not null,
  email text not null,
  primary key (org_id, member_id)
);

-- Nobody may change what is moved, a process of an earlier release that still runs included.
lock table orrery.user, orrery.credential, orrery.grant, orrery.secret in access exclusive mode;

-- Jobs that a process is doing, and when it last said so. One that has not for a while has died.
create table orrery.running_job (
  org_id integer not null,
  job_id uuid not null,
  seen_at timestamptz not null,
  primary key (org_id, job_id)
);
