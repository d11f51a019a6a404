// Exact decimals for the expected aggregates: integers of 10^-12, which is as fine as a number of the service can be.

const decimals = 12;

/** A decimal, counted in 10^-`places`. */
export function parseDecimal(text: string, places: number = decimals): bigint {
  const match = /^(-?)(\d{1,40})(?:\.(\d{1,40}))?$/.exec(text);
  if (match === null) throw new Error(`${JSON.stringify(text)} is not a decimal.`);
  const [, sign, whole = '', part = ''] = match;
  if (part.length > places) throw new Error(`${text} is finer than 10^-${places}.`);
  const value = BigInt(whole + part.padEnd(places, '0'));
  return sign === '-' ? -value : value;
}

/** The shortest decimal of `value` × 10^-`places`. */
export function writeDecimal(value: bigint, places: number = decimals): string {
  const digits = String(value < 0n ? -value : value).padStart(places + 1, '0');
  const part = digits.slice(digits.length - places).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${digits.slice(0, digits.length - places)}${part === '' ? '' : `.${part}`}`;
}

/** Any decimal text in its shortest form, however fine: "1.50" and "01.5" are "1.5", "-0" is "0". */
export function shortest(text: string): string {
  const match = /^(-?)0*(\d+?)(?:\.(\d*?)0*)?$/.exec(text);
  if (match === null) throw new Error(`${JSON.stringify(text)} is not a decimal.`);
  const [, sign, whole, part = ''] = match;
  const unsigned = part === '' ? whole : `${whole}.${part}`;
  return unsigned === '0' ? '0' : `${sign}${unsigned}`;
}

export function sumOf(values: readonly bigint[]): bigint {
  return values.reduce((sum, value) => sum + value, 0n);
}

/** The mean, rounded half away from zero to 16 decimals. */
export function meanOf(values: readonly bigint[]): string {
  const sum = sumOf(values) * 10_000n;
  const count = BigInt(values.length);
  const size = ((sum < 0n ? -sum : sum) * 2n + count) / (count * 2n);
  return writeDecimal(sum < 0n ? -size : size, 16);
}

/** The middle value, or the mean of the two middle ones, exact. */
export function medianOf(values: readonly bigint[]): string {
  const sorted = [...values].sort(compareIntegers);
  const low = sorted[(sorted.length - 1) >> 1] ?? 0n;
  const high = sorted[sorted.length >> 1] ?? 0n;
  return writeDecimal((low + high) * 5n, decimals + 1);
}

export function compareIntegers(left: bigint, right: bigint): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
