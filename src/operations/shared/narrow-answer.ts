// A kept answer as the caller may see it today: grants may have been narrowed since it was given. Without values of properties
// that are hidden now, and without what problems of a batch tell of them. What is left says that the item was refused, and why.
import type { Json } from '../../base/json.ts';
import type { Catalog } from '../../schema/catalog.ts';
import type { ObjectType } from '../../schema/object-type.ts';

type Members = Readonly<Record<string, Json>>;

/** The text of the data; the same text if nothing in it is hidden. `typeOf` is the type that an item of a batch names. */
export function narrowAnswer(catalog: Catalog, text: string, typeOf: (index: number) => unknown): string {
  const data = JSON.parse(text) as Members;
  const { results } = data as { readonly results?: readonly Members[] };
  if (results === undefined) {
    const record = withoutHidden(catalog, data);
    return record === data ? text : JSON.stringify(record);
  }
  const narrowed = results.map((result, index) => {
    const problem = result['problem'] as Members | undefined;
    const type = catalog.objectTypes.get(String(typeOf(index)));
    return problem === undefined || !tellsOfHidden(type, problem) ? result : { ...result, problem: inShort(problem) };
  });
  return narrowed.every((result, index) => result === results[index])
    ? text
    : JSON.stringify({ ...data, results: narrowed });
}

function withoutHidden(catalog: Catalog, record: Members): Members {
  const { object_type: name, properties = {} } = record as { readonly object_type?: string; properties?: Members };
  const seen = catalog.objectTypes.get(name ?? '')?.properties;
  const all = Object.entries(properties);
  const visible = all.filter(([name]) => seen?.has(name));
  return visible.length === all.length ? record : { ...record, properties: Object.fromEntries(visible) };
}

/** Whether the problem names a property that the caller does not see: as the one at fault, as a suggestion or as a choice. */
function tellsOfHidden(type: ObjectType | undefined, { errors = [], conflict }: Members): boolean {
  const told = (errors as readonly Members[]).flatMap(({ reason, property, nearest, allowed }) => {
    // The name of an unknown property is the caller's own. Only a match has properties to choose from.
    if (reason === 'unknown_property') return [nearest];
    return reason === 'invalid_parameter' ? [nearest, ...((allowed ?? []) as readonly Json[])] : [property];
  });
  const names = [...told, (conflict as Members | undefined)?.['property']];
  return names.some((name) => typeof name === 'string' && type?.properties.has(name) !== true);
}

function itemOf(pointer: string): string {
  return pointer.split('/').slice(0, 3).join('/');
}

const shortDetail = 'The item was refused when it was first sent.';

/** A place is that of the item: what was at fault in it need not be something that the request itself had. */
function inShort({ conflict: _, errors = [], ...problem }: Members): Members {
  const places = (errors as readonly Members[]).map(({ pointer, reason }) => ({
    ...(typeof pointer === 'string' ? { pointer: itemOf(pointer) } : {}),
    ...(reason === undefined ? {} : { reason }),
    detail: shortDetail,
  }));
  return { ...problem, detail: shortDetail, errors: places };
}
