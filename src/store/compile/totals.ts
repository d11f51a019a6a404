// The totals of a record's open deals as SQL (contract 6): of one record, from the links to it, or of all records of a
// type at once, from the deals' side. They count every deal of the org, whatever the caller may see: this is the one
// exception, so nothing here depends on a viewer.
import { join, raw, type Sql, sql } from '../../base/sql.ts';
import type { DealTotal, Property } from '../../schema/object-type.ts';
import { dealFeeds, dealSlots, stageSlots } from '../../schema/roles/deal-totals.ts';

/** The record that has the totals: its org, as a number, because a cluster sees that the statement is about one, and its id. */
interface Owner {
  readonly orgId: number;
  readonly id: Sql;
}

/** The value of one total, null without deals. */
export function compileTotal(owner: Owner, { computed = 'potential' }: Property): Sql {
  return sql`(select case when count(*) > 0 then ${money[computed]} end from (${openDealsOf(owner)}) as deal)`;
}

/** The values of several totals as one object, without those that are unset. */
export function compileTotals(owner: Owner, totals: readonly Property[]): Sql {
  const members = totals.map(({ name, computed = 'potential' }) => sql`${name}::text, ${money[computed]}`);
  return sql`(select case when count(*) > 0 then jsonb_build_object(${join(members, ', ')}) else '{}' end
    from (${openDealsOf(owner)}) as deal)`;
}

/**
 * The total of each record of the type that has one: `record_id` and `value`. Some of the records may be in the trash.
 */
export function compileTotalRows(orgId: number, typeId: number, { computed = 'potential' }: Property): Sql {
  return sql`select link.target_id as record_id, ${money[computed]} as value
    from (${openDeals(orgId)}) as deal
    cross join lateral (
      select link.target_id from orrery.association as link
      where link.org_id = ${orgId} and link.source_id = deal.id
        and link.association_type_id = ${dealFeeds.dealToPerson} and link.target_type_id = ${typeId}
      offset 0) as link
    group by link.target_id`;
}

/** A hundredth by multiplication, because a quotient would be rounded. */
const money: Readonly<Record<DealTotal, Sql>> = {
  potential: moneyOf('sum(deal.amount)'),
  weighted: moneyOf('sum(deal.amount * deal.probability * 0.01)'),
};

function moneyOf(sum: string): Sql {
  return raw(`jsonb_build_object('amount', trim_scale(${sum})::text, 'unit', max(deal.unit))`);
}

/** The open deals of one record, found link by link: PostgreSQL has no statistics that tell how few there are. */
function openDealsOf({ orgId, id }: Owner): Sql {
  return sql`select deal.amount, deal.unit, coalesce(stage.probability, 0) as probability
    from orrery.association as link
    cross join lateral (
      select ${dealValues} from orrery.fact as deal
      where deal.org_id = ${orgId} and deal.type_id = ${dealFeeds.dealType} and deal.id = link.source_id
        and ${inCurrency(orgId)} offset 0) as deal
    left join lateral (
      select ${stageValues} from orrery.fact as stage
      where stage.org_id = ${orgId} and stage.type_id = ${dealFeeds.stageType} and stage.id = deal.stage_id
      offset 0) as stage on true
    where link.org_id = ${orgId} and link.target_id = ${id}
      and link.association_type_id = ${dealFeeds.dealToPerson} and stage.closed is not true`;
}

/** All open deals of the org. Stages are few, so all of them are read once. */
function openDeals(orgId: number): Sql {
  return sql`select deal.id, deal.amount, deal.unit, coalesce(stage.probability, 0) as probability
    from (
      select deal.id, ${dealValues} from orrery.fact as deal
      where deal.org_id = ${orgId} and deal.type_id = ${dealFeeds.dealType} and ${inCurrency(orgId)} offset 0) as deal
    left join (
      select stage.id, ${stageValues} from orrery.fact as stage
      where stage.org_id = ${orgId} and stage.type_id = ${dealFeeds.stageType} offset 0) as stage
      on stage.id = deal.stage_id
    where stage.closed is not true`;
}

const dealValues = raw(
  `deal.${dealSlots.amount} as amount, deal.${dealSlots.unit} as unit, deal.${dealSlots.stage} as stage_id`,
);

/** A deal without a stage is open, and so is one whose stage does not say. */
const stageValues = raw(
  `stage.${stageSlots.probability} as probability, stage.${stageSlots.closed} = 'true' as closed`,
);

function inCurrency(orgId: number): Sql {
  return sql`deal.${raw(dealSlots.unit)} = (
    select org.currency from orrery.org as org where org.org_id = ${orgId})`;
}

/** The part of a record to return. */
export interface Shown {
  /** The keys of properties that were not asked for, or that the caller may not see. */
  readonly omitted: readonly string[];
  /** Those of them that the caller may not see: their size must not show either. */
  readonly hidden: readonly string[];
  /** Properties whose values are not under their names. */
  readonly renamed: readonly Pick<Property, 'key' | 'name'>[];
  /** Computed properties to add. */
  readonly totals: readonly Property[];
}

/** The bytes of a row's values, without those that the caller may not see. */
export function compileBytes(row: Sql, hidden: readonly string[]): Sql {
  return hidden.length === 0
    ? sql`pg_column_size(${row}.properties)`
    : sql`pg_column_size(${row}.properties - ${hidden}::text[])`;
}

/** The JSON text of a row's values. */
export function compileText(row: Sql, orgId: number, { omitted, renamed, totals }: Shown): Sql {
  const left = [...omitted, ...renamed.map(({ key }) => key)];
  const stored = left.length === 0 ? sql`${row}.properties` : sql`(${row}.properties - ${left}::text[])`;
  const parts = [
    stored,
    ...(renamed.length === 0 ? [] : [namedValues(row, renamed)]),
    ...(totals.length === 0 ? [] : [compileTotals({ orgId, id: sql`${row}.id` }, totals)]),
  ];
  return parts.length === 1 ? sql`${stored}::text` : sql`(${join(parts, ' || ')})::text`;
}

/** Values under the names of their properties. No value is null, or has a member that is. */
function namedValues(row: Sql, renamed: Shown['renamed']): Sql {
  const members = renamed.map(({ key, name }) => sql`${name}::text, ${row}.properties -> ${key}::text`);
  return sql`jsonb_strip_nulls(jsonb_build_object(${join(members, ', ')}))`;
}
