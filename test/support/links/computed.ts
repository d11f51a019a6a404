// The values that the service computes from links (contract 6), from the model: the last activity of contacts and
// deals, and the totals of a contact's deals, in exact decimals.
import type { LinkState } from './state.ts';
import { textValue, valueText } from './world.ts';

/** The names of all computed properties of the types in the test. */
export const computedNames = ['svc_last_activity_at', 'svc_potential_deal_total', 'svc_weighted_deal_total'];

/** The currency of the org that the test runs in. */
const currency = 'USD';

/** Findings about the computed values of a record. `createdAt` says when another record was made. */
export function computedFindings(
  state: LinkState,
  label: string,
  properties: Readonly<Record<string, unknown>>,
  createdAt: (label: string) => string,
): readonly string[] {
  const { type } = state.get(label);
  const told = textValue(properties, 'svc_last_activity_at');
  const latest = type === 'svc_contact' || type === 'svc_deal' ? lastActivities(state, label, createdAt) : [];
  const right = latest.length === 0 ? told === '' : latest.includes(told);
  const expected = type === 'svc_contact' ? totals(state, label) : {};
  return [
    ...(right ? [] : [`${label} has the last activity ${told}, expected ${latest.join(' or ') || 'none'}`]),
    ...['svc_potential_deal_total', 'svc_weighted_deal_total'].flatMap((name) => {
      const [wanted, found] = [valueText(expected[name]), valueText(properties[name])];
      return wanted === found ? [] : [`${label} has ${found} as ${name}, expected ${wanted}`];
    }),
  ];
}

/** The texts of the latest moment: several activities may have begun in it, each with a text of its own. */
function lastActivities(state: LinkState, label: string, createdAt: (label: string) => string): readonly string[] {
  const texts = ['svc_activity_to_contact', 'svc_activity_to_deal']
    .flatMap((association) => state.to(label, association))
    .filter((link) => state.isSeen(link))
    .map(({ source }) => textValue(state.get(source).values, 'svc_started_at') || createdAt(source));
  const moments = texts.map(microseconds);
  const last = moments.reduce((left, right) => (left > right ? left : right), 0n);
  return texts.filter((_, index) => moments[index] === last);
}

function microseconds(text: string): bigint {
  const [, before = '', fraction = '', zone = ''] = /^(.{19})(?:\.(\d+))?(.*)$/.exec(text) ?? [];
  return BigInt(Date.parse(before + zone)) * 1_000n + BigInt(fraction.padEnd(6, '0'));
}

function totals(state: LinkState, label: string): Readonly<Record<string, unknown>> {
  let [potential, weighted, count] = [0n, 0n, 0];
  for (const link of state.to(label, 'svc_deal_to_contact')) {
    if (!state.isSeen(link)) continue;
    const money = state.get(link.source).values['svc_amount'] as { amount: string; unit: string } | undefined;
    const stage = state.from(link.source, 'svc_deal_to_deal_pipeline_stage').find((each) => state.isSeen(each));
    const stageValues = stage === undefined ? {} : state.get(stage.target).values;
    if (money?.unit !== currency || stageValues['svc_closed'] === true) continue;
    count++;
    potential += scaled(money.amount, 2);
    weighted += scaled(money.amount, 2) * scaled(textValue(stageValues, 'svc_probability') || '0', 1);
  }
  if (count === 0) return {};
  return {
    svc_potential_deal_total: { amount: decimal(potential, 2), unit: currency },
    // Two decimals of the amount, one of the probability, and two because it is a percentage.
    svc_weighted_deal_total: { amount: decimal(weighted, 5), unit: currency },
  };
}

function scaled(text: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

function decimal(value: bigint, decimals: number): string {
  const digits = String(value < 0n ? -value : value).padStart(decimals + 1, '0');
  const text = `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, '');
  return value < 0n ? `-${text}` : text;
}
