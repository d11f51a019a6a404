// Amounts of money are exact texts. Those of one currency are added up digit by digit; different currencies never are.
export interface Amount {
  readonly amount: string;
  readonly unit: string;
}

/** What an aggregation answers for a sum: an amount for each currency, or nothing. */
export function amountsOf(value: unknown): readonly Amount[] {
  return Array.isArray(value) ? (value as readonly Amount[]) : [];
}

/** One amount for each currency. */
export function addAmounts(amounts: readonly Amount[]): readonly Amount[] {
  const sums = new Map<string, string>();
  for (const { amount, unit } of amounts) sums.set(unit, addNumbers(sums.get(unit) ?? '0', amount));
  return [...sums].map(([unit, amount]) => ({ amount, unit }));
}

/** The sum of two numbers that are written as texts. */
export function addNumbers(one: string, other: string): string {
  const digits = Math.max(decimalsOf(one), decimalsOf(other));
  const sum = scaled(one, digits) + scaled(other, digits);
  const sign = sum < 0n ? '-' : '';
  const text = String(sum < 0n ? -sum : sum).padStart(digits + 1, '0');
  return digits === 0 ? sign + text : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

function decimalsOf(number: string): number {
  return number.split('.')[1]?.length ?? 0;
}

function scaled(number: string, digits: number): bigint {
  return BigInt(number.replace('.', '') + '0'.repeat(digits - decimalsOf(number)));
}

/** The currencies, that of the most amounts first, and among equals that of the largest one. */
export function unitsOf(amounts: readonly Amount[]): readonly string[] {
  const counts = new Map<string, { count: number; most: number }>();
  for (const { amount, unit } of amounts) {
    const known = counts.get(unit) ?? { count: 0, most: 0 };
    counts.set(unit, { count: known.count + 1, most: Math.max(known.most, Math.abs(Number(amount))) });
  }
  return [...counts]
    .toSorted(([, one], [, other]) => other.count - one.count || other.most - one.most)
    .map(([unit]) => unit);
}

export function inUnits(amounts: readonly Amount[], units: readonly string[]): readonly Amount[] {
  return amounts.toSorted((one, other) => units.indexOf(one.unit) - units.indexOf(other.unit));
}
