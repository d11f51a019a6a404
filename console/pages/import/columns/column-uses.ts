// What a column can become: what is offered for the type, and how it is called.
import type { LinkUse } from '../../../../client/import/column-use.ts';
import type { ObjectType } from '../../../../client/main.ts';
import type { ColumnUse } from '../../../data/import/messages.ts';
import { searchedType } from '../../../data/other-end.ts';
import type { TypeDetail } from '../../../data/schema.ts';
import { importTexts } from '../../../text/import-texts.ts';

export interface UseChoice {
  readonly key: string;
  readonly text: string;
  readonly group: string;
  /** What the column becomes by choosing it; the rest can be changed. */
  readonly use: ColumnUse;
}

export function choicesFor(type: TypeDetail, types: readonly ObjectType[]): readonly UseChoice[] {
  const written = type.properties.filter(({ read_only: readOnly }) => !readOnly);
  const { properties, links, others } = importTexts;
  const choices: readonly Omit<UseChoice, 'key'>[] = [
    { text: importTexts.ignore, group: '', use: { kind: 'ignored' } },
    ...written.map(({ name, label }) => ({
      text: label,
      group: properties,
      use: { kind: 'property', property: name } as const,
    })),
    ...linkNames(type).map(([association, label]) => ({
      text: label,
      group: links,
      use: newLink(association, targetsOf(type, association, types)),
    })),
    { text: importTexts.externalId, group: others, use: { kind: 'external_id', source: '' } },
    ...written
      .filter(({ field_type: fieldType }) => fieldType === 'currency')
      .map(({ name, label }) => ({
        text: importTexts.currencyOf(label),
        group: others,
        use: { kind: 'unit', property: name } as const,
      })),
  ];
  return choices.map((choice) => ({ ...choice, key: keyOf(choice.use) }));
}

/** The same for all uses that differ only in how cells are read. */
export function keyOf(use: ColumnUse): string {
  if (use.kind === 'link') return `link ${use.association}`;
  return use.kind === 'property' || use.kind === 'unit' ? `${use.kind} ${use.property}` : use.kind;
}

/** The association types that begin at the type, each once. */
function linkNames(type: TypeDetail): readonly (readonly [name: string, label: string])[] {
  const own = type.links.filter((link) => isOwn(type, link) && link.writable && link.target_type !== 'svc_org');
  return [...new Map(own.map(({ name, label }) => [name, label]))];
}

function isOwn({ name }: TypeDetail, link: TypeDetail['links'][number]): boolean {
  return link.direction === 'outgoing' && link.source_type === name;
}

/** The types to which an association type leads. */
export function targetsOf(type: TypeDetail, association: string, types: readonly ObjectType[]): readonly ObjectType[] {
  const names = type.links.filter((link) => isOwn(type, link) && link.name === association).map(searchedType);
  return types.filter(({ name }) => names.includes(name));
}

/** People are not found by their names, which others may share. */
function newLink(association: string, targets: readonly ObjectType[]): LinkUse {
  const [unique] = targets.flatMap((target) => target.unique_properties);
  const by = targets.every(isNamed) ? 'title' : (unique ?? 'id');
  return { kind: 'link', association, by, missing: 'refuse' };
}

function isNamed({ name, kind, title_property: title }: ObjectType): boolean {
  return title !== null && kind !== 'person' && name !== 'svc_member';
}

export function textOf(type: TypeDetail, use: ColumnUse): string {
  switch (use.kind) {
    case 'ignored':
      return use.why === undefined ? importTexts.ignore : importTexts.ignored(use.why);
    case 'external_id':
      return importTexts.externalId;
    case 'link':
      return type.links.find(({ name }) => name === use.association)?.label ?? use.association;
    default: {
      const label = type.byName.get(use.property)?.label ?? use.property;
      return use.kind === 'unit' ? importTexts.currencyOf(label) : label;
    }
  }
}

/** By what the records of a link can be found. */
export function waysOf(targets: readonly ObjectType[], labelOf: (property: string) => string) {
  const unique = [...new Set(targets.flatMap((target) => target.unique_properties))];
  const isTitled = targets.some(({ title_property: title }) => title !== null);
  return [
    ...(isTitled ? [['title', importTexts.byTitle] as const] : []),
    ...unique.map((name) => [name, labelOf(name).toLowerCase()] as const),
    ['external_id', importTexts.byExternalId] as const,
    ['id', importTexts.byId] as const,
  ];
}

/** The use as a person has decided it. */
export function confirmed(use: ColumnUse): ColumnUse {
  if (!('guessed' in use)) return use;
  const { guessed: _, ...rest } = use;
  return rest;
}

export function isGuess(use: ColumnUse): boolean {
  return 'guessed' in use && use.guessed === true;
}
