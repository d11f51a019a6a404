// Arguments for the operators of a filter, close to what the records hold: the same value written another way, a piece
// of it, one beside it.

import type { Random } from '../random.ts';
import { anyValue, units } from './pools.ts';
import { foldedTypes, moment } from './values.ts';
import type { ModelProperty } from './world.ts';

export function argumentOf(random: Random, property: ModelProperty, operator: string, stored: () => unknown): unknown {
  const one = () => single(random, property, stored);
  switch (operator) {
    case 'in':
    case 'not_in':
      return random.times(random.chance(0.05) ? random.between(50, 300) : random.between(1, 5), one);
    case 'between':
      return bounds(random, property, one);
    case 'contains':
    case 'not_contains':
    case 'starts_with':
    case 'ends_with':
      return property.field_type === 'phone' ? someDigits(random) : piece(random, String(one()), operator);
    default:
      return one();
  }
}

/** A value of the property's shape: one that a record has, written otherwise, or any. */
function single(random: Random, property: ModelProperty, stored: () => unknown): unknown {
  const options = property.options?.map((option) => option.value) ?? [];
  const value = (random.chance(0.6) ? stored() : undefined) ?? anyValue(random, property.field_type, options);
  if (foldedTypes.includes(property.field_type)) {
    return recased(random, value as string, property.field_type === 'url' ? 2_048 : 1_024);
  }
  if (property.field_type === 'number') return respelled(random, value as string);
  if (property.field_type === 'datetime') return inUtc(random, value as string);
  if (property.field_type === 'currency') {
    const { amount, unit } = value as { amount: string; unit: string };
    return { amount: respelled(random, withinShape(amount)), unit };
  }
  return value;
}

function bounds(random: Random, property: ModelProperty, one: () => unknown): readonly unknown[] {
  if (property.field_type !== 'currency') return [one(), one()];
  const unit = random.pick(units);
  return [one(), one()].map((value) => ({ ...(value as object), unit }));
}

function someDigits(random: Random): string {
  return random.pick(['0', '00', '7', '79', '7946', '958', '12345678901234', '123456789012345', '5', '4609']);
}

/** At most as many characters as a filter may have. */
function clipped(text: string, limit: number): string {
  return Array.from(text).slice(0, limit).join('');
}

function recased(random: Random, text: string, limit: number): string {
  const cases = [text, text, text.toUpperCase(), text.toLowerCase(), text.normalize('NFD'), `${text}a`];
  return clipped(random.pick(cases), limit);
}

function piece(random: Random, text: string, operator: string): string {
  const characters = Array.from(text);
  const length = random.chance(0.7)
    ? random.between(1, Math.min(3, characters.length))
    : random.between(1, characters.length);
  const rest = characters.length - length;
  const start = { starts_with: 0, ends_with: rest }[operator] ?? random.between(0, rest);
  const cut = characters.slice(start, start + length).join('');
  return random.chance(0.1) ? random.pick(['%', '_', '\\', '%a', '_b', '\\%', "'", 'Σ', 'ς', 'I', 'ẞ']) : cut;
}

/** A total of deals can be finer and greater than what a filter takes. */
function withinShape(amount: string): string {
  return amount.replace(/\d+(?=\d{18}(\.|$))/, '').replace(/(\.\d{12})\d+$/, '$1');
}

/** The same number with other zeros, as far as the shape allows. */
function respelled(random: Random, text: string): string {
  const [whole = '', part = ''] = text.split('.');
  const longer = whole.replace('-', '').length < 18 ? whole.replace(/^(-?)/, '$10') : whole;
  const zeros = part.length < 12 ? `${part}0` : part;
  return random.pick([text, text, `${whole}.${zeros}`, part === '' ? longer : `${longer}.${part}`]);
}

/** The same moment in UTC with six decimals, where its year can be written; or the microsecond beside it. */
function inUtc(random: Random, text: string): string {
  const micros = moment(text) + BigInt(random.pick([0, 0, 0, 1, -1]));
  const whole = micros / 1_000_000n - (micros % 1_000_000n < 0n ? 1n : 0n);
  const part = String(micros - whole * 1_000_000n).padStart(6, '0');
  const clock = new Date(Number(whole) * 1_000).toISOString();
  const plain = /^\d{4}-/.test(clock) && !clock.startsWith('0000');
  return plain && random.chance(0.6) ? `${clock.slice(0, 19)}.${part}Z` : text;
}
