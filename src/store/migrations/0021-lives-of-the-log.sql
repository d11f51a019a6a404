-- Cursors of the change feed outlive a failover and a crash wherever it is certain that nothing they have seen was lost.
-- Until now each other timeline of the server ended all of them.

-- The order of the feed hangs on the numbers of transactions. After a recovery the numbers above the end of what was
-- recovered are given again, so they then mean other entries. The time between two recoveries is a life. A cursor tells its
-- life, and the position in the log after everything that it has seen: it holds in a later life if each recovery in
-- between reached that position, and none of the numbers that it counts as seen is given again.
create table orrery.change_life (
  -- In their order, from 1.
  number integer primary key,
  identity text not null unique,
  -- The server and the database in it: see `change_home`.
  home text not null,
  -- Null on Amazon Aurora.
  timeline integer,
  -- The bytes of the log that were recovered when the life began. Null if nobody can tell.
  recovered_to bigint,
  -- The first transaction of the life, and the last number of an entry before it; null in the first life. A server does not tell
  -- whether there was another recovery since the last life, after which none of our sessions came. A crash by itself takes nothing
  -- that was seen, because a commit is on the disk before it is visible. It only gives numbers again, and these two show which:
  -- numbers of entries are taken by nobody else.
  first_xid bigint,
  last_seq bigint
);

-- The present life. PostgreSQL empties an unlogged table at each recovery, and at no other time: not when it was stopped and
-- started. Amazon Aurora never does. That there was a recovery is therefore known, and not how many there were: every
-- session begins a life before it does anything else.
create unlogged table orrery.change_mark (
  only_row boolean primary key default true check (only_row),
  life text not null
);

-- Amazon Aurora has one log for all its servers, loses nothing of it, and refuses to tell a position.
create function orrery.tells_log() returns boolean language sql stable as $$
  select to_regproc('aurora_version') is null
$$;

-- How far the log is written, in bytes. What a snapshot sees is before the position that is read after it.
create function orrery.log_bytes() returns bigint language plpgsql volatile as $$
begin
  if orrery.tells_log() then
    return pg_current_wal_insert_lsn() - '0/0'::pg_lsn;
  end if;
  return 0;
end $$;

create function orrery.log_timeline() returns integer language plpgsql volatile as $$
begin
  if orrery.tells_log() then
    return ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::integer;
  end if;
  return null;
end $$;

-- The table is part of its home, because it may be copied back into the same database.
create or replace function orrery.change_home() returns text language sql stable as $$
  select concat_ws('/', s.system_identifier, d.oid, 'orrery.change_life'::regclass::oid)
  from pg_control_system() as s cross join pg_database as d where d.datname = current_database()
$$;

-- On a cluster an entry is stored by a worker, under numbers that the first server has given. A crash of that one loses the last of
-- them, up to a second of its log, as it wrote nothing else: given again, they would hide the entry from readers of the feed,
-- or be refused by the worker. So far more of them are passed over than one server gives in that time. A number of a transaction
-- is used up by each part of one that writes.
create function orrery.pass_lost_numbers() returns void language plpgsql volatile as $$
declare
  distributed boolean := false;
begin
  if to_regclass('pg_catalog.pg_dist_partition') is not null then
    select exists (select from pg_dist_partition where logicalrelid = 'orrery.change'::regclass) into distributed;
  end if;
  if not distributed then
    return;
  end if;
  perform nextval('orrery.change_seq') from generate_series(1, 50000);
  for each in 1..50000 loop
    begin
      perform pg_logical_emit_message(true, 'orrery', '');
    exception when division_by_zero then
      -- Never raised: a block that could catch something is a part of the transaction with a number of its own.
      null;
    end;
  end loop;
end $$;

-- How far the log of the former life goes in the present one. Null, so that no earlier cursor holds, if nobody can tell: the server
-- was stopped and started since the recovery, was promoted more than once, or crashed after its promotion; or it makes commits
-- visible before they are on the disk.
create function orrery.recovered_to(former integer, present integer) returns bigint language plpgsql volatile as $$
declare
  is_end boolean := present = former;
  recovered_to bigint;
begin
  if present = former + 1 then
    -- Whether the last recovery is the one that ended with the promotion. The memory in which a standby notes what it receives does
    -- not outlive a crash, and the control file has the record of the promotion until the first checkpoint after it.
    is_end := pg_last_wal_receive_lsn() is not null
      or (select r.min_recovery_end_timeline = present from pg_control_recovery() as r);
  end if;
  if not coalesce(is_end, false) or current_setting('synchronous_commit') = 'off' then
    return null;
  end if;
  recovered_to := pg_last_wal_replay_lsn() - '0/0'::pg_lsn;
  -- At the end of a page, `log_bytes` counts the header of the next one.
  return recovered_to + case when recovered_to % 8192 = 0 then 40 else 0 end;
end $$;

-- Begins a life if the present one has no mark. Of several who do this at once, one does it and the others wait. It must
-- not wait for a standby: nobody could read until that is back.
create function orrery.begin_change_life() returns void language plpgsql volatile as $$
declare
  begun constant text := gen_random_uuid();
  former orrery.change_life;
  timeline integer;
  recovered_to bigint := 0;
begin
  if exists (select from orrery.change_mark) then
    return;
  end if;
  select * into former from orrery.change_life as l order by l.number desc limit 1;
  timeline := orrery.log_timeline();
  if timeline is not null then
    recovered_to := orrery.recovered_to(former.timeline, timeline);
  end if;
  perform set_config('synchronous_commit', 'local', true);
  insert into orrery.change_mark (life) values (begun) on conflict do nothing;
  if not found then
    return;
  end if;
  insert into orrery.change_life (number, identity, home, timeline, recovered_to, first_xid, last_seq)
    values (coalesce(former.number, 0) + 1, begun, orrery.change_home(), timeline, recovered_to,
      pg_current_xact_id()::text::bigint, coalesce(pg_sequence_last_value('orrery.change_seq'), 0));
  delete from orrery.change_life as l where l.number <= former.number - 99;
  if former.number is not null then
    perform orrery.pass_lost_numbers();
  end if;
end $$;

-- The first life is named as the epochs of cursors were, so that those hold until the first recovery.
insert into orrery.change_life (number, identity, home, timeline)
  select 1, concat_ws('/', e.epoch, lpad(upper(to_hex(orrery.log_timeline())), 8, '0'), d.oid),
    case when e.home = concat_ws('/', s.system_identifier, d.oid) then orrery.change_home() else e.home end, orrery.log_timeline()
  from orrery.change_epoch as e cross join pg_control_system() as s cross join pg_database as d
  where d.datname = current_database();
insert into orrery.change_mark (life) select l.identity from orrery.change_life as l;
drop table orrery.change_epoch;

-- Where the feed stands: a sequence number, then a snapshot, then the first transaction that had not begun, then the position in
-- the log. Whatever begins later takes larger numbers. They must be read in this order, each at its own time. A snapshot
-- ends with the last transaction that is over; how many are under way beyond it is found in steps that double and then
-- halve.
drop function orrery.change_position();
create function orrery.change_position(
  out life text, out last_seq bigint, out snapshot text, out next_xid bigint, out log bigint)
language plpgsql volatile as $$
declare
  seen pg_snapshot;
  begun bigint;
  step bigint := 1;
  probe bigint;
begin
  select m.life into life from orrery.change_mark as m;
  -- Read as a table, a sequence can show for a moment what it will reach later.
  last_seq := coalesce(pg_sequence_last_value('orrery.change_seq'), 0);
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
  log := orrery.log_bytes();
end $$;
