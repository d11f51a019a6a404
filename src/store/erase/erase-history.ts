// Erases what the history of erased records has of their values: entries of the feed, long values, links, rows of indexes that
// are coming or going, and kept answers. Each step takes a bounded number of rows, and can be repeated by anybody: a process
// that takes over begins from the start, and finds less to do.
import { bounds } from '../../base/limits.ts';
import { sql } from '../../base/sql.ts';
import { entryKinds } from '../feed/entries.ts';
import { indexTables } from '../index-tables.ts';
import { purgeLinks } from '../records/purge.ts';
import { rowBytes } from '../row-bytes.ts';
import { ids, numbers } from '../row-parameters.ts';
import { redactAnswers } from './redact-answers.ts';
import type { EraseStep } from './steps.ts';

/**
 * Entries stay, without values. That of a deletion has none: it lists the users who saw the record, so that the feed can tell them. The
 * place is the number of the record and that of its last entry.
 */
const eraseEntries: EraseStep = async (transaction, { orgId, records }, after) => {
  const [first = 0, seq = '0'] = after === '' ? [] : (JSON.parse(after) as [number, string]);
  const limit = bounds.store.purgedRowsAtOnce;
  const rest = ids(records.slice(first).map(({ id }) => id));
  const [row] = await transaction.query<{ count: number; position: string; seq: string; bytes: string }>(sql`
    with page as materialized (
      select k.position, c.seq, c.kind, c.bytes from unnest(${rest}::uuid[]) with ordinality as k (id, position)
      cross join lateral (
        select c.seq, c.kind,
          case when c.changed is not null or c.left_out is not null then coalesce(octet_length(c.changed), 0) end as bytes
        from orrery.change as c
        where c.org_id = ${orgId} and c.record_id = k.id and c.seq > case when k.position = 1 then ${seq}::bigint else 0 end
        order by c.seq limit ${limit}) as c
      limit ${limit}),
    erased as (
      update orrery.change as c set changed = null, left_out = null, left_out_bytes = null
      from page as p
      where c.org_id = ${orgId} and c.seq = p.seq and p.bytes is not null
        and p.kind <> ${entryKinds['record.deleted']}::smallint
      returning p.bytes)
    select count(*)::integer as count, max(p.position) as position,
      (array_agg(p.seq order by p.position desc, p.seq desc))[1] as seq,
      (select coalesce(sum(e.bytes), 0) from erased as e) as bytes
    from page as p`);
  const { count = 0, position = '1', bytes = '0' } = row ?? {};
  // Records are walked through one after the other, so the last of a full page may have more.
  const next = count < limit ? undefined : JSON.stringify([first + Number(position) - 1, row?.seq ?? '0']);
  return { bytes: Number(bytes), next };
};

const eraseFormerValues: EraseStep = async (transaction, { orgId, records }) => {
  const limit = bounds.store.purgedRecordsAtOnce;
  const gone = await transaction.query<{ bytes: number }>(sql`
    delete from orrery.former_value as f where f.org_id = ${orgId} and f.ctid = any (array(
      select d.ctid from orrery.former_value as d
      where d.org_id = ${orgId} and d.record_id = any (${ids(records.map(({ id }) => id))}::uuid[]) limit ${limit}))
    returning ${rowBytes.formerValue}::integer + octet_length(f.value) as bytes`);
  return { bytes: gone.reduce((sum, row) => sum + row.bytes, 0), next: gone.length < limit ? undefined : 'more' };
};

/**
 * While an index is coming or going, not every process writes its rows, so it may have rows of values that the records had
 * before. An index that is ready has none.
 */
const eraseIndexRows: EraseStep = async (transaction, { orgId, records }) => {
  const typeIds = [...new Set(records.map(({ typeId }) => typeId))];
  const moving = await transaction.query<{ typeId: number; propertyId: number }>(sql`
    select p.type_id as "typeId", p.property_id as "propertyId" from orrery.property_index as p
    where p.org_id = ${orgId} and p.type_id = any (${numbers(typeIds)}::integer[]) and p.state <> 'ready'`);
  for (const { typeId, propertyId } of moving) {
    const recordIds = records.filter((record) => record.typeId === typeId).map(({ id }) => id);
    for (const { table } of Object.values(indexTables)) {
      await transaction.query(sql`
        delete from ${table} as i
        where i.org_id = ${orgId} and i.type_id = ${typeId} and i.property_id = ${propertyId}
          and i.record_id = any (${ids(recordIds)}::uuid[])`);
    }
  }
  return { bytes: 0, next: undefined };
};

/** Their other ends are not told: nobody sees a link to a record that is gone. */
const eraseLinks: EraseStep = async (transaction, { orgId, records }) => {
  const { bytes, more } = await purgeLinks(transaction, orgId, records);
  return { bytes, next: more ? 'more' : undefined };
};

/** The steps of each kind, values first; each begins with an empty place. */
export const eraseSteps: readonly EraseStep[] = [
  eraseEntries,
  eraseFormerValues,
  redactAnswers,
  eraseIndexRows,
  eraseLinks,
];
