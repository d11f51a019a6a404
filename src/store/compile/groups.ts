// From a group key to SQL: the rows that it adds to a record, the columns to group and order by, and the JSON of the
// key. A record is in a group once, however many of its values fall into it.
import { join, raw, type Sql, sql } from '../../base/sql.ts';
import type { GroupKey, Hop } from '../../query/plan.ts';
import type { Granularity } from '../../schema/field-type.ts';
import type { Property } from '../../schema/object-type.ts';
import type { Slot } from '../../schema/slots.ts';
import { numbers } from '../row-parameters.ts';
import { r, type Viewer, visibleTo } from '../viewer.ts';
import { endsOf, isOfType, linkColumnOf, type RowKind } from './filter.ts';
import type { OrderPart } from './keyset.ts';
import { memberName } from './member-name.ts';
import { asNumeric, moneyOf, type OrderValue, orderedText, orderValuesOf, valueCount, valueRows } from './value.ts';

/** The columns of a group key, under the names that they have at the place of use. */
type Columns = readonly Sql[];

export interface CompiledGroup {
  /** Rows for the record, with the columns below; none for a record that is in no group. */
  readonly rows: Sql;
  /** Joins them to the record under a name. */
  join(name: Sql): Sql;
  /** The same from a fact alone, if it has what the groups are made of. */
  readonly fact: FactGroup | undefined;
  /** Whether there can be several rows. */
  readonly many: boolean;
  /** How many rows there are at most, which costs less than to count them. */
  readonly countMax: Sql;
  readonly columns: Columns;
  /** The order of the groups. */
  order(columns: Columns): readonly OrderPart[];
  json(columns: Columns): Sql;
}

export interface FactGroup {
  /** What the fact `r` is grouped by first. */
  readonly columns: readonly Sql[];
  /** The join that makes the key of it, if it is not the key itself: of the column, under a name. */
  readonly join: ((column: Sql, name: Sql) => Sql) | undefined;
}

export function compileGroup(viewer: Viewer, key: GroupKey, kind: RowKind): CompiledGroup {
  if (key.kind === 'linked') return groupByLink(viewer, key.hop, kind);
  const slot = kind === 'record' ? undefined : kind.properties.get(key.property.id);
  const { columns, json } = slot === undefined ? groupStored(key) : groupFact(key, slot);
  const names = columns.map((_, index) => raw(`k${index}`));
  const named = columns.map(({ value }, index) => sql`${value} as ${names[index]}`);
  const distinct = key.property.multiValued ? raw('distinct') : raw('');
  // Fenced with `offset 0`: otherwise PostgreSQL expects as many groups as records, and sorts them all. Of facts it knows
  // how many values there are.
  const rows =
    slot === undefined
      ? sql`(select ${distinct} ${join(named, ', ')} from (${valueRows(viewer.orgId, r, key.property)}) as v offset 0)`
      : sql`(select ${join(named, ', ')})`;
  return {
    rows,
    join: (name) => (slot === undefined ? beside(rows, name) : sql`cross join lateral ${rows} as ${name}`),
    fact: slot === undefined ? undefined : { columns: columns.map(({ value }) => value), join: undefined },
    many: key.property.multiValued,
    countMax: valueCount(r, key.property),
    columns: names,
    order: (outer) =>
      columns.map(({ type }, index) => ({ ...orderOf(key.property, outer[index] ?? none, type), direction: 'asc' })),
    json,
  };
}

function beside(rows: Sql, name: Sql): Sql {
  return sql`left join lateral ${rows} as ${name} on true`;
}

/** Options are ordered by their place in the list, everything else by its value. */
function orderOf({ fieldType, options }: Property, value: Sql, type: Sql): OrderValue {
  if (!fieldType.sortedByOptions) return { value, type };
  const values = options.map((option) => option.value);
  return { value: sql`array_position(${values}::text[], ${value})`, type: raw('::integer') };
}

interface GroupColumns {
  readonly columns: readonly OrderValue[];
  readonly json: (columns: Columns) => Sql;
}

const v = raw('v');
const none = raw('null');

type ValueKey = Exclude<GroupKey, { kind: 'linked' }>;

function groupStored(key: ValueKey): GroupColumns {
  return key.kind === 'bucket' ? bucketOf(key, sql`(v.value #>> '{}')`) : groupValue(key.property);
}

/** The same groups, from a fact. */
function groupFact(key: ValueKey, { kind, column, unit }: Slot): GroupColumns {
  const value = sql`r.${raw(column)}`;
  if (key.kind === 'bucket') return bucketOf(key, value);
  if (unit !== undefined) return groupUnit(sql`r.${raw(unit)}`);
  if (kind === 'number') return groupNumber(value);
  return groupText(kind === 'day' ? sql`${value}::text collate "C"` : value, key.property);
}

function groupUnit(unit: Sql): GroupColumns {
  return {
    columns: [{ value: sql`${unit} collate "C"`, type: orderedText }],
    json: ([text = none]) => sql`to_jsonb(${text})`,
  };
}

function groupNumber(value: Sql): GroupColumns {
  return {
    columns: [{ value: sql`trim_scale(${value})`, type: asNumeric }],
    json: ([number = none]) => sql`to_jsonb(${number}::text)`,
  };
}

function groupText(value: Sql, { fieldType: { shape } }: Property): GroupColumns {
  const json = ([text = none]: Columns) =>
    shape['type'] === 'boolean' ? sql`to_jsonb(${text}::boolean)` : sql`to_jsonb(${text})`;
  return { columns: [{ value, type: orderedText }], json };
}

function groupValue(property: Property): GroupColumns {
  const { comparison } = property.fieldType;
  if (comparison === 'money') return groupUnit(moneyOf(v).unit);
  if (comparison === 'number') return groupNumber(orderValuesOf(v, property)[0]?.value ?? none);
  const stored = groupText(sql`(v.stored #>> '{}') collate "C"`, property);
  if (comparison !== 'folded') return stored;
  // First the folded text, then the stored one, which distinguishes texts that are equal otherwise.
  return {
    columns: [...orderValuesOf(v, property), ...stored.columns],
    json: ([, text = none]) => stored.json([text]),
  };
}

/** PostgreSQL's own names of the units that values are truncated to. */
const units: Readonly<Record<Granularity, Sql>> = {
  hour: raw(`'hour'`),
  day: raw(`'day'`),
  week: raw(`'week'`),
  month: raw(`'month'`),
  quarter: raw(`'quarter'`),
  year: raw(`'year'`),
};

/** `text` is the text of a time, or a time. */
function bucketOf({ granularity, timezone }: GroupKey & { kind: 'bucket' }, text: Sql): GroupColumns {
  const unit = units[granularity];
  if (granularity === 'hour') {
    const value = sql`date_trunc(${unit}, ${text}::timestamptz, ${timezone}::text)`;
    return { columns: [{ value, type: raw('::timestamptz') }], json: ([hour = none]) => hourText(hour, timezone) };
  }
  const local =
    timezone === null ? sql`${text}::timestamp` : sql`(${text}::timestamptz at time zone ${timezone}::text)`;
  return {
    columns: [{ value: sql`date_trunc(${unit}, ${local})::date`, type: raw('::date') }],
    json: ([day = none]) => sql`to_jsonb(${dayText(day)})`,
  };
}

/** ISO 8601 has a year 0000, which PostgreSQL calls 1 BC: an offset can lead there. */
function dayText(day: Sql): Sql {
  return sql`case when extract(year from ${day}) > 0 then to_char(${day}, 'YYYY') when ${day} is not null then '0000' end
    || to_char(${day}, '-MM-DD')`;
}

/** The hour as the zone's clocks show it, with their offset. */
function hourText(hour: Sql, timezone: string | null): Sql {
  const local = sql`(${hour} at time zone ${timezone}::text)`;
  const offset = sql`(${local} - (${hour} at time zone 'UTC'))`;
  return sql`to_jsonb(${dayText(local)} || to_char(${local}, '"T"HH24:MI:SS')
    || case when ${offset} < interval '0' then '-' else '+' end
    || to_char(greatest(${offset}, - ${offset}), 'HH24:MI'))`;
}

function groupByLink(viewer: Viewer, hop: Hop, kind: RowKind): CompiledGroup {
  const names = hop.hidden === undefined ? hop.ends.map((type) => type.name) : [hop.hidden];
  const typeIds = hop.hidden === undefined ? hop.ends.map((type) => type.id) : [0];
  const type = hop.hidden === 'svc_org' ? raw('::integer') : raw('::uuid');
  const rows = linkRows(viewer, hop);
  const column = hop.hidden === undefined ? linkColumnOf(hop, kind) : undefined;
  return {
    rows,
    join: (name) => (column === undefined ? beside(rows, name) : besideEnds(viewer, hop, sql`r.${column}`, name)),
    fact:
      column === undefined
        ? undefined
        : { columns: [sql`r.${column}`], join: (id, name) => besideEnds(viewer, hop, id, name) },
    many: hop.many,
    countMax: linkCount(viewer, hop),
    columns: [raw('id'), raw('type_id')],
    order: ([id = none]) => [{ value: id, type, direction: 'asc' }],
    json: ([id = none, typeId = none]) => sql`case when ${id} is not null then jsonb_build_object(
      'id', ${id}::text, 'title', ${titleOf(viewer, hop, id, typeId)},
      'object_type', (${names}::text[])[array_position(${numbers(typeIds)}::integer[], ${typeId})]) end`,
  };
}

/** The other ends that the viewer sees. */
function besideEnds(viewer: Viewer, hop: Hop, id: Sql, name: Sql): Sql {
  return sql`left join orrery.fact as ${name} on ${visibleTo(viewer, name)}
    and ${isOfType(name, hop.ends)} and ${name}.id = ${id}`;
}

/** Found link by link: without statistics PostgreSQL would read all links, or all records of the org, for each. */
function linkRows(viewer: Viewer, hop: Hop): Sql {
  if (hop.hidden === 'svc_org') {
    return sql`(select o.org_id as id, 0 as type_id from orrery.org as o
      where o.org_id = ${viewer.orgId} and r.org_visible)`;
  }
  if (hop.hidden === 'svc_user') {
    return sql`(select l.user_id as id, 0 as type_id from orrery.record_user as l
      where l.org_id = ${viewer.orgId} and l.type_id = r.type_id and l.record_id = r.id offset 0)`;
  }
  const { near, far } = endsOf(hop, raw('a'));
  return sql`(select r1.id, r1.type_id from orrery.association as a
    cross join lateral (select r1.id, r1.type_id from orrery.record as r1
      where ${visibleTo(viewer, raw('r1'))} and r1.type_id = ${far.typeId} and r1.id = ${far.id} offset 0) as r1
    where a.org_id = ${viewer.orgId} and ${near.id} = r.id and a.association_type_id = ${hop.associationTypeId}
      and ${near.typeId} = r.type_id and ${far.typeId} = any (${numbers(hop.ends.map((type) => type.id))}::integer[])
    offset 0)`;
}

/** The links alone, without what they lead to, which may be hidden or in the trash. There is only one org. */
function linkCount({ orgId }: Viewer, hop: Hop): Sql {
  if (hop.hidden !== undefined) {
    return sql`(select count(*) from orrery.record_user as l
      where l.org_id = ${orgId} and l.type_id = r.type_id and l.record_id = r.id)`;
  }
  const { near } = endsOf(hop, raw('a'));
  return sql`(select count(*) from orrery.association as a
    where a.org_id = ${orgId} and ${near.id} = r.id and a.association_type_id = ${hop.associationTypeId})`;
}

/** The text of each type's title property, if the caller can see it. It is read for the groups of the page alone. */
function titleOf({ orgId }: Viewer, { ends, hidden, namesUsers }: Hop, id: Sql, typeId: Sql): Sql {
  if (hidden === 'svc_org') return sql`(select o.name from orrery.org as o where o.org_id = ${orgId})`;
  if (hidden === 'svc_user') return namesUsers ? memberName(orgId, id) : raw('null::text');
  const titles = ends.flatMap((type) => {
    const property = type.properties.get(type.titleProperty ?? '');
    if (property === undefined) return [];
    const stored = sql`r1.properties -> ${property.key}::text`;
    const text = property.multiValued ? sql`${stored} ->> 0` : sql`${stored} #>> '{}'`;
    return [sql`when ${type.id} then ${text}`];
  });
  if (titles.length === 0) return raw('null::text');
  return sql`(select case r1.type_id ${join(titles, ' ')} end from orrery.record as r1
    where r1.org_id = ${orgId} and r1.type_id = ${typeId} and r1.id = ${id})`;
}
