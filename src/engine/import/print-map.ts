// Prints a plan as a map, for a person to read, change and give back. A column that nobody has decided to ignore is left out, so
// that it is looked at again with the next file. A guess that could be wrong says so, until a person removes the word.
import type { Json } from '../../base/json.ts';
import type { FieldType } from '../../schema/field-type.ts';
import type { ColumnUse } from './column-use.ts';
import type { ImportPlan } from './plan.ts';

export function mapOf({ type, columns, said }: ImportPlan): Json {
  const decided = columns.filter(({ use, decidedBy }) => use.kind !== 'ignored' || decidedBy === 'map');
  const uses = decided.map(({ header, use }) => {
    const property = use.kind === 'property' ? type.properties.get(use.property) : undefined;
    return [header, useJson(use, property?.fieldType)] as const;
  });
  return { columns: Object.fromEntries(uses), options: { ...said } as Json };
}

function useJson(use: ColumnUse, fieldType: FieldType | undefined): Json {
  if (use.kind === 'ignored') return null;
  if (use.kind === 'link') {
    const { kind: _, ...link } = use;
    return link;
  }
  const guess = use.kind !== 'unit' && use.guessed === true ? { guessed: true } : {};
  if (use.kind === 'external_id') return { external_id: true, source: use.source, ...guess };
  if (use.kind === 'unit') return { property: use.property, part: 'unit' };
  const { dates, decimal, country, currency } = use.style;
  const format = dates === undefined ? {} : { date_format: dates.name };
  if (use.kind === 'created_at') return { created_at: true, ...format, ...guess };
  const isNumeric = fieldType?.comparison === 'number' || fieldType?.comparison === 'money';
  const style = {
    ...(fieldType?.index?.kind === 'time' ? format : {}),
    ...(isNumeric && decimal === ',' ? { decimal } : {}),
    ...(fieldType?.comparison === 'phone' && country !== undefined ? { country } : {}),
    ...(fieldType?.comparison === 'money' && currency !== undefined ? { currency } : {}),
    ...guess,
  };
  return Object.keys(style).length === 0 ? use.property : { property: use.property, ...style };
}
