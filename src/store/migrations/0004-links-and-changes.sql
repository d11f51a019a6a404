-- What links and the change feed need: the history of a record, where feeds begin, and who brought a record from outside.

-- The history of one record.
create index change_record on orrery.change (org_id, record_id, seq);

-- What svc_record_to_user (32) and svc_record_to_org (33) gave and took: for those who ask whether they saw a record.
create index change_visibility on orrery.change (org_id, record_id, seq) where association_type_id in (32, 33);

-- How far an org's feed was taken away because its time was over. Without a row it is whole.
create table orrery.change_start (
  org_id integer primary key,
  purged_seq bigint not null,
  -- The newest transaction of which an entry was taken away.
  purged_xid xid8 not null
);

-- The feed's order hangs on the numbers of transactions, which mean nothing in another server. `epoch` is in every
-- cursor, so that a cursor of another life is told from one of this.
create table orrery.change_epoch (
  only_row boolean primary key default true check (only_row),
  epoch uuid not null,
  home text not null
);

-- The server and the database in it.
create function orrery.change_home() returns text language sql stable as $$
  select s.system_identifier || '/' || d.oid from pg_control_system() as s cross join pg_database as d
  where d.datname = current_database()
$$;
insert into orrery.change_epoch (epoch, home) select gen_random_uuid(), orrery.change_home();

-- Where the feed stands: a sequence number, then a snapshot, then the first transaction that had not begun. Whatever
-- begins later takes larger numbers. They must be read in this order, each at its own time. A snapshot ends with the last
-- transaction that is over; how many are under way beyond it is found in steps that double and then halve.
create function orrery.change_position(out last_seq bigint, out snapshot text, out next_xid bigint, out epoch text)
language plpgsql volatile as $$
declare
  seen pg_snapshot;
  begun bigint;
  step bigint := 1;
  probe bigint;
begin
  select case when s.is_called then s.last_value else 0 end into last_seq from orrery.change_seq as s;
  seen := pg_current_snapshot();
  snapshot := seen::text;
  begun := pg_snapshot_xmax(seen)::text::bigint - 1;
  while next_xid is null or next_xid - begun > 1 loop
    probe := case when next_xid is null then begun + step else (begun + next_xid) / 2 end;
    begin
      perform pg_xact_status(probe::text::xid8);
      begun := probe;
      step := step * 2;
    exception when invalid_parameter_value then
      next_xid := probe;
    end;
  end loop;
  -- A server that was restored or promoted goes on in another timeline, a dump that was loaded in another database.
  select concat_ws('/', e.epoch, substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8), d.oid) into epoch
  from orrery.change_epoch as e cross join pg_database as d where d.datname = current_database();
end $$;

-- Records that came from a connected system, by the ids that they have there.
create table orrery.external_id (
  org_id integer not null,
  type_id integer not null,
  external_id text collate "C" not null,
  record_id uuid not null,
  primary key (org_id, type_id, external_id)
);
create index external_id_record on orrery.external_id (org_id, type_id, record_id);

-- The last activity of contacts (1) and deals (3) stands among their values: the latest activity that is linked to them
-- by svc_activity_to_contact (12) or svc_activity_to_deal (14).
update orrery.record as r
set properties = r.properties || jsonb_build_object('svc_last_activity_at', latest.at)
from (
  select distinct on (a.org_id, a.target_type_id, a.target_id) a.org_id, a.target_type_id, a.target_id,
    coalesce(s.properties ->> 'svc_started_at', s.properties ->> 'svc_created_at') as at
  from orrery.association as a
    join orrery.record as s on s.org_id = a.org_id and s.type_id = a.source_type_id and s.id = a.source_id
  where a.association_type_id in (12, 14)
  order by a.org_id, a.target_type_id, a.target_id,
    coalesce(s.properties ->> 'svc_started_at', s.properties ->> 'svc_created_at')::timestamptz desc, s.id) as latest
where r.org_id = latest.org_id and r.type_id = latest.target_type_id and r.id = latest.target_id
  and r.type_id in (1, 3);

insert into orrery.index_time (org_id, type_id, property_id, unset, value, record_id)
select r.org_id, r.type_id, case r.type_id when 1 then 18 else 6 end, not r.properties ? 'svc_last_activity_at',
  coalesce((r.properties ->> 'svc_last_activity_at')::timestamptz, '-infinity'), r.id
from orrery.record as r where r.type_id in (1, 3)
on conflict do nothing;

-- Of two indexes that would cost the same, PostgreSQL takes the newer one. Before its first statistics that was
-- record_created even for a single id, which then reads all ids of the type.
alter table orrery.record drop constraint record_pkey, add primary key (org_id, type_id, id);
