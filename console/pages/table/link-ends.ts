// What stands at the other ends of the columns of links: asked for once for the table, because every row shows them.
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { otherEnd } from '../../data/other-end.ts';
import { type TypeDetail, typeQuery, useCatalog } from '../../data/schema.ts';
import { type PlacedStage, stagesQuery } from '../../data/stages.ts';
import type { Column } from '../../data/view.ts';

interface LinkEnd {
  /** Undefined while it is read, and for a type that the caller cannot see. */
  readonly type: TypeDetail | undefined;
  /** Of an association with stages, these by their ids. */
  readonly stages: ReadonlyMap<string, PlacedStage>;
}

/** By the key of the column. */
export type LinkEnds = ReadonlyMap<string, LinkEnd>;

export function useLinkEnds(columns: readonly Column[]): LinkEnds {
  const catalog = useCatalog();
  const links = columns.flatMap((column) => (column.kind === 'link' ? [column] : []));
  const names = [...new Set(links.map(({ link }) => otherEnd(link)))].filter((name) =>
    catalog.types.some((type) => type.name === name),
  );
  const types = useQueries({ queries: names.map((name) => typeQuery(name)), combine: dataOf });
  const staged = types.filter((type) => links.some(({ link }) => link.stage && otherEnd(link) === type.name));
  const stages = useQueries({ queries: staged.map((type) => stagesQuery(type)), combine: dataOf });
  return useMemo(() => {
    const byName = new Map(types.map((type) => [type.name, type]));
    const placed = new Map(stages.flat().map((stage) => [stage.id, stage]));
    return new Map(
      columns.flatMap((column) =>
        column.kind === 'link'
          ? [[column.key, { type: byName.get(otherEnd(column.link)), stages: column.link.stage ? placed : none }]]
          : [],
      ),
    );
  }, [columns, types, stages]);
}

const none: ReadonlyMap<string, PlacedStage> = new Map();

function dataOf<Data>(results: readonly { readonly data: Data | undefined }[]): readonly NonNullable<Data>[] {
  return results.flatMap(({ data }) => data ?? []);
}
