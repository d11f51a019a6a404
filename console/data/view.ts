// A view of a type: what is asked, in which order, and which columns are shown. It stands in the address, so that it can be
// sent to somebody.
import type { AnySchema, AssociationType, Filter, Operator, Query } from '../../client/main.ts';
import type { KnownProperty } from '../fields/field.ts';
import { fieldOf } from '../fields/index.ts';
import { stageLinksOf, type TypeDetail, titleProperties } from './schema.ts';

/** One condition, as a chip shows it. */
export type Condition =
  | PropertyCondition
  | LinkedCondition
  | { readonly not: PropertyCondition }
  | { readonly or: readonly Condition[] };

export interface PropertyCondition {
  readonly property: string;
  readonly operator: Operator;
  readonly value?: unknown;
}

export interface LinkedCondition {
  readonly association: string;
  readonly direction?: 'outgoing' | 'incoming';
  readonly operator: 'exists' | 'not_exists';
  readonly target_id?: string;
  /** What the record at the other end has to be. */
  readonly filter?: Condition;
}

export interface Sort {
  readonly property: string;
  readonly direction: 'asc' | 'desc';
}

/** A property, or an association type as `>name` (outgoing) or `<name` (incoming), with a width if it was resized. */
export interface ChosenColumn {
  readonly name: string;
  readonly width?: number;
}

export interface View {
  readonly search: string;
  readonly conditions: readonly Condition[];
  readonly sort: Sort | undefined;
  /** Undefined for those of the type. */
  readonly columns: readonly ChosenColumn[] | undefined;
}

/** Associations whose records come with a row: as many as a request can include. */
const linksMost = 5;

/** The bounds of a column's width, in pixels. */
export const widthMin = 60;
export const widthMax = 800;

export const emptyView: View = { search: '', conditions: [], sort: undefined, columns: undefined };

/** The member of an address that names the saved view which was opened. */
export const openedMember = 'view';

export function readView(search: string): View {
  const query = new URLSearchParams(search);
  const [property = '', direction] = (query.get('sort') ?? '').split(':');
  return {
    search: query.get('q') ?? '',
    conditions: readConditions(query.get('filter')),
    sort: property === '' ? undefined : { property, direction: direction === 'desc' ? 'desc' : 'asc' },
    columns: query
      .get('columns')
      ?.split(',')
      .filter((text) => text !== '')
      .map(readColumn),
  };
}

function readColumn(text: string): ChosenColumn {
  const [name = '', width] = text.split('~');
  const pixels = Number(width);
  return pixels >= widthMin && pixels <= widthMax ? { name, width: pixels } : { name };
}

/** What is not a list of conditions is left out: anybody can write an address. */
function readConditions(text: string | null): readonly Condition[] {
  if (text === null) return [];
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter((each) => isCondition(each)) : [];
  } catch {
    return [];
  }
}

/** As deep as a filter can be. */
const depthMost = 5;

function isCondition(value: unknown, at = 0): value is Condition {
  if (typeof value !== 'object' || value === null || at > depthMost) return false;
  if ('or' in value)
    return Array.isArray(value.or) && value.or.length > 0 && value.or.every((each) => isCondition(each, at + 1));
  if ('not' in value) return isPropertyCondition(value.not);
  if (!('association' in value)) return isPropertyCondition(value);
  if (typeof value.association !== 'string' || !('operator' in value)) return false;
  return !('filter' in value) || isCondition(value.filter, at + 1);
}

function isPropertyCondition(value: unknown): value is PropertyCondition {
  if (typeof value !== 'object' || value === null || !('operator' in value)) return false;
  return 'property' in value && typeof value.property === 'string';
}

/** The part of the address after `?`; empty for a view that asks for nothing in particular. */
export function writeView({ search, conditions, sort, columns }: View): string {
  const query = new URLSearchParams();
  if (search !== '') query.set('q', search);
  if (conditions.length > 0) query.set('filter', JSON.stringify(conditions));
  if (sort !== undefined) query.set('sort', `${sort.property}:${sort.direction}`);
  if (columns !== undefined) {
    query.set('columns', columns.map(({ name, width }) => (width === undefined ? name : `${name}~${width}`)).join());
  }
  return query.toString();
}

export function filterOf(conditions: readonly Condition[]): Filter<AnySchema, string> | undefined {
  if (conditions.length === 0) return undefined;
  const all = conditions as readonly Filter<AnySchema, string>[];
  return all.length === 1 ? all[0] : { and: all };
}

/** A column: a property, or the records that are linked by an association. */
export type Column =
  | { readonly kind: 'property'; readonly key: string; readonly property: KnownProperty; readonly width: number }
  | { readonly kind: 'link'; readonly key: string; readonly link: AssociationType; readonly width: number };

export function linkColumnName({ name, direction }: AssociationType): string {
  return `${direction === 'outgoing' ? '>' : '<'}${name}`;
}

/** The columns of a view, without those that the type does not have any more. The title stands first and is not among them. */
export function columnsOf(type: TypeDetail, view: View): readonly Column[] {
  const chosen: readonly ChosenColumn[] = view.columns ?? defaultColumns(type).map((name) => ({ name }));
  const titles = titleProperties(type);
  const known = chosen.flatMap(({ name, width }): Column[] => {
    if (name.startsWith('>') || name.startsWith('<')) {
      const link = type.links.find((each) => linkColumnName(each) === name);
      return link === undefined ? [] : [{ kind: 'link', key: name, link, width: width ?? 180 }];
    }
    const property = type.byName.get(name);
    if (property === undefined || titles.includes(name)) return [];
    return [{ kind: 'property', key: name, property, width: width ?? fieldOf(property.field_type).width }];
  });
  const links = known.filter(({ kind }) => kind === 'link');
  return known.filter((column) => column.kind === 'property' || links.indexOf(column) < linksMost);
}

/** Columns that are shown unless somebody chooses others: about as many as fit. */
const defaultMost = 7;

/** Links to one record, then what people fill in; long texts and dates of the service come last or not at all. */
export function defaultColumns(type: TypeDetail): readonly string[] {
  const titles = titleProperties(type);
  const stages = stageLinksOf(type);
  const links = type.links.filter(
    (link) => link.direction === 'outgoing' && !link.target_type.startsWith('svc_org') && !stages.includes(link),
  );
  const first = links.filter(({ target_type: target }) => !['svc_user', 'svc_org'].includes(target)).slice(0, 1);
  const shown = type.properties.filter(
    ({ name, field_type: field, read_only: readOnly }) =>
      !titles.includes(name) &&
      field !== 'long_text' &&
      !(readOnly && ['svc_created_at', 'svc_updated_at'].includes(name)),
  );
  const last = type.byName.has('svc_last_activity_at') ? 'svc_last_activity_at' : 'svc_updated_at';
  const linked = [...first, ...stages].map(linkColumnName);
  const names = shown.map(({ name }) => name).filter((name) => name !== last);
  return [...linked, ...names.slice(0, Math.max(2, defaultMost - 1 - linked.length)), last];
}

/** The question of a table: only what is shown is asked for. */
export function questionOf(type: TypeDetail, view: View, limit: number): Query<AnySchema, string> {
  const columns = columnsOf(type, view);
  const properties = columns.flatMap((column) => (column.kind === 'property' ? [column.property.name] : []));
  const include = [...new Set(columns.flatMap((column) => (column.kind === 'link' ? [column.link.name] : [])))];
  const filter = filterOf(view.conditions);
  return {
    ...(filter === undefined ? {} : { filter }),
    ...(view.search.trim() === '' ? {} : { search: view.search.trim() }),
    ...(view.sort === undefined ? {} : { sort: [view.sort] }),
    properties: [...new Set([...titleProperties(type), ...properties])],
    ...(include.length === 0 ? {} : { include }),
    limit,
  };
}
