// The requests behind an import, as they are for its first rows: the records that links name are looked up, and one batch writes
// the rows with their links. The check sends the same batches with the header Svc-Dry-Run.
import type { LinkUse } from '../../../client/import/column-use.ts';
import type { Plan, Preview, PreviewRow } from '../../data/import/messages.ts';
import { searchedType } from '../../data/other-end.ts';
import { literal, type ShownRequest } from '../../data/request-text.ts';
import type { Catalog, TypeDetail } from '../../data/schema.ts';
import { importTexts } from '../../text/import-texts.ts';
import { textOf } from './columns/column-uses.ts';

/** Enough to see how it goes. */
const shownRows = 3;

interface Link {
  readonly use: LinkUse;
  readonly target: string;
  /** The property by which targets are looked up; undefined if the batch can name them itself. */
  readonly looked: string | undefined;
}

export function shownRequests(
  type: TypeDetail,
  { types }: Pick<Catalog, 'types'>,
  { columns, match }: Plan,
  preview: Preview,
): readonly ShownRequest[] {
  const rows = preview.rows.filter(({ faults }) => faults.length === 0).slice(0, shownRows);
  const links = columns.flatMap(({ use }): readonly Link[] => {
    if (use.kind !== 'link') return [];
    const found = type.links.find(({ name }) => name === use.association);
    const target = found === undefined ? '' : searchedType(found);
    const title = types.find(({ name }) => name === target)?.title_property ?? 'svc_name';
    const isUser = found?.target_type === 'svc_user';
    const looked = use.by === 'title' ? title : isUser && use.by !== 'id' ? use.by : undefined;
    return [{ use, target, looked }];
  });
  const source = columns.flatMap(({ use }) => (use.kind === 'external_id' ? use.source : []))[0];
  const isUpsert = match !== undefined && match !== 'external_id';
  const operations = rows.map((row) => ({
    operation: isUpsert ? 'upsert' : 'create',
    object_type: type.name,
    ...(isUpsert ? { match } : {}),
    properties: row.values,
    ...(row.externalId === undefined ? {} : { external_ids: [{ source, id: row.externalId }] }),
    ...(row.links.length === 0 ? {} : { associations: row.links.flatMap((link) => associationOf(link, links)) }),
  }));
  const batch: ShownRequest = {
    title: importTexts.firstBatch,
    method: 'POST',
    path: '/batch/',
    body: { atomic: false, operations },
    code: `await client.batch(${literal(operations)}, { atomic: false });`,
  };
  return [...links.flatMap((link) => lookUp(link, rows, textOf(type, link.use)) ?? []), batch];
}

function associationOf({ association, text }: PreviewRow['links'][number], links: readonly Link[]) {
  const link = links.find(({ use }) => use.association === association);
  if (link === undefined) return [];
  const { use, looked } = link;
  const isNamed = looked === undefined && use.by !== 'external_id';
  const target = use.by === 'id' ? text : isNamed ? { match: { [use.by]: text } } : importTexts.idOf(text);
  return [{ association_type: association, target_id: target }];
}

/** Finds the records that the batch has to name by their ids. */
function lookUp({ use, target, looked }: Link, rows: readonly PreviewRow[], label: string): ShownRequest | undefined {
  const texts = rows.flatMap(({ links }) =>
    links.flatMap(({ association, text }) => (association === use.association ? text : [])),
  );
  if (texts.length === 0 || (looked === undefined && use.by !== 'external_id')) return undefined;
  const value = [...new Set(texts)];
  const ids = value.map((id) => ({ external_id: id, source: use.source }));
  const filter = looked === undefined ? { or: ids } : { property: looked, operator: 'in', value };
  return {
    title: importTexts.lookUp(label),
    method: 'POST',
    path: `/objects/${target}/records/query/`,
    body: { filter },
    code: `const found = await client.records(${JSON.stringify(target)}).query(${literal({ filter })}).toArray(1_000);`,
  };
}
