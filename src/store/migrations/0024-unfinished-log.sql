-- After a crash every cursor holds that has seen nothing but what is on the disk, also beside transactions that were under way or rolled
-- back. `first_xid` of a life is now the first transaction that can write an entry.

-- How far the log is on the disk, in bytes. A commit is there before a snapshot sees it, so what a snapshot sees is before the
-- position that is read after it. What transactions under way have written beyond it may be lost, and was seen by nobody.
create or replace function orrery.log_bytes() returns bigint language plpgsql volatile as $$
begin
  if orrery.tells_log() then
    return pg_current_wal_flush_lsn() - '0/0'::pg_lsn;
  end if;
  return 0;
end $$;

drop function orrery.pass_lost_numbers();

-- A crash loses the last numbers that transactions took and rolled back, or had not committed. Given again, they would hide entries
-- from readers who count them as seen, so more than are usually lost are passed over, and a cursor that has seen later ones is refused.
-- A number of a transaction is used up by each part of one that writes. On a cluster an entry is stored by a worker, under numbers that
-- the first server has given. A crash of that one loses up to a second of its log, as it wrote nothing else: so more are passed over
-- than one server gives in that time.
create function orrery.pass_lost_numbers() returns integer language plpgsql volatile as $$
declare
  distributed boolean := false;
  passed integer;
begin
  if to_regclass('pg_catalog.pg_dist_partition') is not null then
    select exists (select from pg_dist_partition where logicalrelid = 'orrery.change'::regclass) into distributed;
  end if;
  passed := case when distributed then 50000 else 500 end;
  perform nextval('orrery.change_seq') from generate_series(1, passed);
  for each in 1..passed loop
    begin
      perform pg_logical_emit_message(true, 'orrery', '');
    exception when division_by_zero then
      -- Never raised: a block that could catch something is a part of the transaction with a number of its own.
      null;
    end;
  end loop;
  return passed;
end $$;

-- How far the log of the former life goes in the present one. Null, so that no earlier cursor holds, if nobody can tell: the server
-- was stopped and started since the recovery, was promoted more than once, or crashed after its promotion; or it makes commits
-- visible before they are on the disk.
create or replace function orrery.recovered_to(former integer, present integer) returns bigint language plpgsql volatile as $$
declare
  is_end boolean := present = former;
  recovered_to bigint;
  page bigint;
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
  -- The log comes to the disk up to the end of a page too, which can be in the middle of a record. A recovery leaves the part of such a
  -- record where it is, and goes on with the next page, at the beginning of which it writes a checkpoint. With the wal_level minimal
  -- any checkpoint can look like that one, and without a recovery the one of the stop does.
  select p.page into page from pg_control_checkpoint() as c
    cross join lateral (select c.redo_lsn - '0/0'::pg_lsn as redo) as r
    cross join lateral (select r.redo - r.redo % 8192 as page) as p
    where present = former and c.checkpoint_lsn = c.redo_lsn and r.redo - p.page < 200
      and recovered_to is not null and current_setting('wal_level') <> 'minimal';
  return greatest(recovered_to, page);
end $$;

-- Begins a life if the present one has no mark. Of several who do this at once, one does it and the others wait. It must
-- not wait for a standby: nobody could read until that is back.
create or replace function orrery.begin_change_life() returns void language plpgsql volatile as $$
declare
  begun constant text := gen_random_uuid();
  former orrery.change_life;
  timeline integer;
  recovered_to bigint := 0;
  passed integer;
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
  passed := case when former.number is null then 0 else orrery.pass_lost_numbers() end;
  insert into orrery.change_life (number, identity, home, timeline, recovered_to, first_xid, last_seq)
    values (coalesce(former.number, 0) + 1, begun, orrery.change_home(), timeline, recovered_to,
      pg_current_xact_id()::text::bigint + passed, coalesce(pg_sequence_last_value('orrery.change_seq'), 0));
  delete from orrery.change_life as l where l.number <= former.number - 99;
end $$;
