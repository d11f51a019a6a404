// What files of other products have in common: how they are recognised, what their ids look like, and which columns have
// them. Only for these are ids guessed: an id means nothing without the system that gave it.
import { isConfirmed } from './cells-fit.ts';

export interface Product {
  /** The name under which its ids are kept. */
  readonly source: string;
  /** Headers that it has; two of them are enough. Absent if nothing else has such ids. */
  readonly headers?: RegExp;
  readonly id: RegExp;
  /** What the column with the record's own id may be called, without the name of the type. */
  readonly own: readonly string[];
}

/** The first that a file fits is taken. */
const products: readonly Product[] = [
  {
    // 15 characters, or 18 to be compared without case. Accounts begin with 001, contacts with 003, opportunities with 006.
    source: 'salesforce',
    id: /^00[136][a-zA-Z0-9]{12}(?:[a-zA-Z0-9]{3})?$/,
    own: ['id', 'record id', '18 digit id', 'case safe id'],
  },
  { source: 'zoho', id: /^zcrm_\d{6,20}$/, own: ['id', 'record id'] },
  { source: 'close', id: /^(?:lead|cont|oppo)_[A-Za-z0-9]{20,60}$/, own: ['id', 'lead id'] },
  { source: 'odoo', id: /^__export__\.\w+$/, own: ['id', 'external id'] },
  {
    source: 'copper',
    headers: /^(?:copper id|owned by|owner id|contact type|interaction count)$/i,
    id: /^\d{4,16}$/,
    own: ['copper id'],
  },
  {
    source: 'hubspot',
    headers:
      /^(?:record id|create date|lifecycle stage|lead status|(?:contact|company|deal) owner|deal stage|associated (?:company|contact|deal)(?: ids)?(?: \(primary\))?|last activity date|company domain name)$/i,
    id: /^\d{1,16}$/,
    own: ['id', 'record id'],
  },
  {
    source: 'pipedrive',
    headers: /^(?:person|organization|deal|lead) - \w/i,
    id: /^\d{1,12}$/,
    own: ['id', 'pipedrive system id'],
  },
];

/** The products from which a file with these headers may be. */
export function productsOf(headers: readonly string[]): readonly Product[] {
  const fits = (pattern: RegExp) => headers.filter((header) => pattern.test(header.trim())).length >= 2;
  return products.filter((product) => product.headers === undefined || fits(product.headers));
}

/** The product whose ids all of the cells are. Several ids of a cell are separated by semicolons. */
export function productOfIds(possible: readonly Product[], cells: readonly string[]): Product | undefined {
  const ids = cells.flatMap((cell) => cell.split(';')).flatMap((text) => text.trim() || []);
  const fitting = ({ id }: Product) => ids.filter((text) => id.test(text)).length;
  return possible.find((product) => isConfirmed({ fitting: fitting(product), filled: ids.length, misfit: undefined }));
}
