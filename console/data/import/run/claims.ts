// A dry run stores nothing, so its batches do not see one another. What the rows of earlier batches would have claimed is remembered
// here, as numbers, up to a bound: so the counts are those of the import.
import { runTexts } from '../../../text/import-run-texts.ts';
import { importBounds } from '../bounds.ts';
import type { ImportSchema } from '../plan/described-schema.ts';
import { type ReadRow, sameKey } from './row-reader.ts';
import { refused, type SettledRow } from './settle-batch.ts';

interface Claim {
  readonly name: string;
  readonly key: number;
}

export class Claims {
  readonly #unique: readonly { readonly name: string; readonly fieldType: string; readonly label: string }[];
  readonly #match: string | undefined;
  /** The owner of each value, and the line of its row. */
  readonly #owners = new Map<number, { readonly owner: number; readonly line: number }>();
  /** What the last row of an owner says. */
  readonly #contents = new Map<number, number>();

  constructor({ properties }: ImportSchema, match: string | undefined) {
    this.#match = match;
    this.#unique = [...properties.values()]
      .filter(({ unique }) => unique)
      .map(({ name, label, field_type: fieldType }) => ({ name, label, fieldType }));
  }

  /** Whether more values were claimed than are remembered: then the import may find more that two rows claim. */
  get isFull(): boolean {
    return this.#owners.size >= importBounds.claimsRemembered;
  }

  /** What becomes of the row beside those of the batches before. */
  judge(settled: SettledRow, read: ReadRow): SettledRow {
    const { fate, id, row } = settled;
    if (fate === 'refused' || id === undefined) return settled;
    const claims = this.#claimsOf(read);
    const matched = claims.find(({ name }) => name === this.#match);
    const owner = (matched && this.#owners.get(matched.key)?.owner) ?? numberOf(id);
    for (const { name, key } of claims) {
      const other = this.#owners.get(key);
      if (other !== undefined && other.owner !== owner) {
        const label = this.#unique.find((each) => each.name === name)?.label ?? runTexts.externalId;
        return refused(row, runTexts.lineReason(row.line, runTexts.claimedBefore(other.line, label)));
      }
    }
    const content = numberOf(JSON.stringify(read.values));
    const before = this.#contents.get(owner);
    if (!this.isFull) {
      for (const { key } of claims) if (!this.#owners.has(key)) this.#owners.set(key, { owner, line: row.line });
      if (this.#match !== undefined) this.#contents.set(owner, content);
    }
    if (before === undefined) return settled;
    return { ...settled, fate: before === content ? 'unchanged' : 'updated' };
  }

  #claimsOf({ values, externalId }: ReadRow): readonly Claim[] {
    const claims = this.#unique.flatMap(({ name, fieldType }) =>
      [values[name] ?? []].flat().map((value) => ({ name, key: numberOf(`${name} ${sameKey(fieldType, value)}`) })),
    );
    const own = externalId === undefined ? [] : [{ name: 'external_id', key: numberOf(`external_id ${externalId}`) }];
    return [...claims, ...own];
  }
}

/** 53 bits of a text: among 500,000 of them, two are the same by chance once in 70,000 files. */
function numberOf(text: string): number {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return 4_294_967_296 * (2_097_151 & low) + (high >>> 0);
}
