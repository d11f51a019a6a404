// The automatic indexes of properties: the rows that say in which state each of them is, and which key wished for it.
// `index-building` fills and empties them.
import { bounds } from '../../base/limits.ts';
import { sql } from '../../base/sql.ts';
import type { PropertyIndex } from '../../schema/catalog.ts';
import type { Transaction } from '../database.ts';
import { databaseTime } from '../database-time.ts';
import { lockKeyOf, waitForLock } from '../locks.ts';

export async function findIndexes(transaction: Transaction, orgId: number): Promise<readonly PropertyIndex[]> {
  return transaction.query<PropertyIndex>(sql`
    select type_id as "typeId", property_id as "propertyId", state from orrery.property_index where org_id = ${orgId}`);
}

/** An index as the operator sees it. */
export interface IndexReport extends PropertyIndex {
  readonly orgId: number;
  readonly filled: number;
  readonly askedAt: Date;
  /** The key that wished for it; null for an index from before keys were noted. */
  readonly credentialId: string | null;
}

/** Every index of all orgs, the oldest first: for the operator and for the process that builds them. */
export async function listIndexes(transaction: Transaction): Promise<readonly IndexReport[]> {
  const rows = await transaction.query<IndexRow>(sql`
    select ${reported} from orrery.property_index order by begun_at, org_id, type_id, property_id`);
  return rows.map(toReport);
}

/** The indexes of one org, for its operator. */
export async function listIndexesOfOrg(transaction: Transaction, orgId: number): Promise<readonly IndexReport[]> {
  const rows = await transaction.query<IndexRow>(sql`
    select ${reported} from orrery.property_index where org_id = ${orgId} order by begun_at, type_id, property_id`);
  return rows.map(toReport);
}

type IndexRow = Omit<IndexReport, 'filled'> & { readonly filled: string };

const reported = sql`org_id as "orgId", type_id as "typeId", property_id as "propertyId", state, filled,
  asked_at as "askedAt", credential_id as "credentialId"`;

function toReport(row: IndexRow): IndexReport {
  return { ...row, filled: Number(row.filled) };
}

/** An index of a type as one of the type's slots. */
export interface IndexSlot {
  readonly propertyId: number;
  readonly state: PropertyIndex['state'];
  readonly credentialId: string | null;
  /** Whether nobody has asked for it for so long that another index may take its place. */
  readonly idle: boolean;
}

/** The slots of a type, those that were asked for the longest ago first. Until the transaction ends nobody else takes one. */
export async function lockSlots(
  transaction: Transaction,
  orgId: number,
  typeId: number,
): Promise<readonly IndexSlot[]> {
  await waitForLock(transaction, { use: 'indexSlots', key: lockKeyOf(orgId, typeId) });
  return transaction.query<IndexSlot>(sql`
    select property_id as "propertyId", state, credential_id as "credentialId",
      asked_at < now() - make_interval(secs => ${bounds.shares.indexIdleSeconds}) as idle
    from orrery.property_index where org_id = ${orgId} and type_id = ${typeId} order by asked_at, property_id`);
}

/** Whether the index is new. */
export async function beginIndex(
  transaction: Transaction,
  orgId: number,
  { typeId, propertyId }: Pick<PropertyIndex, 'typeId' | 'propertyId'>,
  credentialId: string | null,
): Promise<boolean> {
  const rows = await transaction.query(sql`
    insert into orrery.property_index (org_id, type_id, property_id, state, credential_id)
    values (${orgId}, ${typeId}, ${propertyId}, 'building', ${credentialId})
    on conflict do nothing returning 1 as begun`);
  return rows.length > 0;
}

/** Notes that a query has just asked for the index. */
export async function touchIndex(
  transaction: Transaction,
  orgId: number,
  { typeId, propertyId }: Pick<PropertyIndex, 'typeId' | 'propertyId'>,
): Promise<void> {
  await transaction.query(sql`
    update orrery.property_index set asked_at = now()
    where org_id = ${orgId} and type_id = ${typeId} and property_id = ${propertyId} and asked_at < now()`);
}

/** Takes the index out of use; returns whether it was in use, or was being built. */
export async function retireIndex(
  transaction: Transaction,
  orgId: number,
  { typeId, propertyId }: Pick<PropertyIndex, 'typeId' | 'propertyId'>,
): Promise<boolean> {
  const at = await databaseTime(transaction);
  const rows = await transaction.query(sql`
    update orrery.property_index set state = 'retired', begun_at = ${at}::timestamptz, barrier = null
    where org_id = ${orgId} and type_id = ${typeId} and property_id = ${propertyId} and state in ('building', 'ready')
    returning 1 as retired`);
  return rows.length > 0;
}
