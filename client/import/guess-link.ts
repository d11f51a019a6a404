// Guesses the association type of a column that names other records, and by what it names them: by ids of a known product,
// by a unique value such as a domain or an email address, or by their title. People are never guessed by their names, which
// others may share: not as targets, and not as owners, who decide who sees a record.
import { fitOf, isConfirmed } from './cells-fit.ts';
import type { DescribedLink, DescribedTarget, DescribedType } from './described-type.ts';
import type { Column, LeftOut } from './guess-property.ts';
import { after, bareName, joined, nounsOf, singular, type Words, withoutType, wordsOf } from './header-words.ts';
import { type Product, productOfIds } from './known-products.ts';

export interface LinkGuess {
  readonly association: string;
  readonly by: string;
  readonly source?: string;
  /** Of several columns for one association type, the one with the lowest rank gets it. */
  readonly rank: number;
}

type GuessLink = (column: Column) => LinkGuess | LeftOut | undefined;

export function linkGuesser(type: DescribedType, products: readonly Product[]): GuessLink {
  const names = type.links.map((link) => ({ link, texts: textsOf(type, link) }));
  return (column) => {
    const exact = type.links.find(({ association }) => association === column.header.trim());
    if (exact !== undefined) {
      const { association } = exact;
      return fitsIds(column) ? { association, by: 'id', rank: 0 } : guessBy(exact, [], column, products);
    }
    const words = wordsOf(column.header).map(singular);
    for (const own of [words, withoutType(type, words)].map(withoutRelation)) {
      const found = names.flatMap(({ link, texts }) => {
        const beginning = texts.find((text) => after(own, text) !== undefined);
        const rest = beginning && after(own, beginning);
        return rest === undefined ? [] : (guessBy(link, rest, column, products) ?? []);
      });
      const [only, other] = found;
      if (only !== undefined && other === undefined) return only;
    }
    return undefined;
  };
}

/** What other programs call columns with records of the built-in types, beside the names of these types. */
const columnNames: Readonly<Record<string, string>> = {
  svc_company: 'firm|business|employer|customer|sales account|organization 1',
  svc_contact: 'contact person|primary contact|buyer',
  svc_deal_pipeline_stage: 'stage|deal stage|pipeline stage|sales stage|opportunity stage|stage name',
  svc_contact_lifecycle_stage: 'lifecycle stage|life cycle stage|lifecycle',
  svc_note_pipeline_stage: 'status|task status|note status',
  svc_member:
    'owner|record owner|assigned to|assignee|assigned user|salesperson|sales rep|sales person|sales owner|account manager|owned by|responsible|responsible person',
};

/** The beginnings of headers that mean the association type, the longest first: its name and label, and what its targets are called. */
function textsOf(type: DescribedType, { association, label, targets }: DescribedLink): readonly Words[] {
  const own = [bareName({ name: association }), label];
  const nouns = targets.filter((target) => leadsThere(type, association, target)).flatMap(nounsFor);
  const all = [...own.map(wordsOf), ...nouns].map((words) => words.map(singular));
  return all.filter(({ length }) => length > 0).toSorted((one, other) => other.length - one.length);
}

/** Whether it is the only association type that leads to these records, or the only one that an org has not added. */
function leadsThere({ links }: DescribedType, association: string, { name }: DescribedTarget): boolean {
  const rivals = links.filter(({ targets }) => targets.some((each) => each.name === name));
  const builtIn = rivals.filter((each) => each.association.startsWith('svc_'));
  const [only, other] = builtIn.length > 0 ? builtIn : rivals;
  return only?.association === association && other === undefined;
}

function nounsFor(target: DescribedTarget): readonly Words[] {
  const known = Object.hasOwn(columnNames, target.name) ? (columnNames[target.name] as string).split('|') : [];
  return [...nounsOf(target), ...known.map(wordsOf)];
}

const relations = new Set(['associated', 'related', 'linked', 'current']);

function withoutRelation(words: Words): Words {
  return relations.has(words[0] ?? '') && words.length > 1 ? words.slice(1) : words;
}

/** By what the rest of the header and the cells say that the records are named. */
function guessBy(
  { association, targets }: DescribedLink,
  rest: Words,
  column: Column,
  products: readonly Product[],
): LinkGuess | LeftOut | undefined {
  const said = joined(rest.filter((word) => word !== 'primary'));
  if (/^(?:record|name)?ids?$/.test(said)) {
    if (targets.some(({ name }) => name === 'svc_member')) return undefined;
    const product = productOfIds(products, column.cells);
    return product && { association, by: 'external_id', source: product.source, rank: 0 };
  }
  const unique = targets.flatMap((target) => target.unique);
  const named = unique.find((property) => namesOf(property).includes(said));
  if (named !== undefined) return { association, by: named.name, rank: 1 };
  if (said !== '' && said !== 'name' && said !== 'title') return undefined;
  const looking = unique.find(
    (property) => tellsApart.has(property.fieldType) && isConfirmed(fitOf(property, column.cells)),
  );
  if (looking !== undefined && said === '') return { association, by: looking.name, rank: 1 };
  if (targets.some(isNamedLikeOthers)) return { why: 'people are not linked by their names unless the map says so' };
  return targets.every(({ hasTitle }) => hasTitle) ? { association, by: 'title', rank: 2 } : undefined;
}

/** Field types whose values cannot be taken for titles. */
const tellsApart = new Set(['email', 'domain']);

function namesOf(property: { readonly name: string; readonly label: string }): readonly string[] {
  const texts = [bareName(property), property.label];
  const more = property.name === 'svc_email' ? ['email address', 'e-mail', 'mail'] : [];
  const domain = property.name === 'svc_domain' ? ['domain name', 'website domain'] : [];
  return [...texts, ...more, ...domain].map((text) => joined(wordsOf(text).map(singular)));
}

function isNamedLikeOthers({ name, isPerson }: DescribedTarget): boolean {
  return isPerson || name === 'svc_member';
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether the cells are ids of records, as in an export with links. */
function fitsIds({ cells }: Column): boolean {
  const ids = cells.flatMap((cell) => cell.split(';')).flatMap((text) => text.trim() || []);
  return ids.length > 0 && ids.every((id) => uuid.test(id));
}
