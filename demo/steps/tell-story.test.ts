// The steps of the demo before anything is written: the same for everybody, always recent, and about no real person.
import { expect, test } from 'vitest';
import type { Step } from './step.ts';
import { tellStory } from './tell-story.ts';

const dayMs = 86_400_000;
/** A Wednesday, and the Monday of its week. */
const wednesdayMs = Date.parse('2026-03-04T10:20:30.456Z');
const mondayMs = Date.parse('2026-03-02T00:00:00.000Z');
const { begunAtMs, steps } = tellStory(wednesdayMs);

/** The steps with every moment and every day in them as its distance from a Monday. */
function relativeTo(weekMs: number, told: readonly Step[]): string {
  return JSON.stringify(told)
    .replaceAll(/"\d{4}-\d\d-\d\d(T[^"]+Z)?"/g, (text) => String(Date.parse(text.slice(1, -1)) - weekMs))
    .replaceAll(/"atMs":(\d+)/g, (_, ms: string) => `"atMs":${Number(ms) - weekMs}`);
}

function valuesOf(name: string): readonly unknown[] {
  return steps
    .map((step) => ('line' in step ? step.line : step.operation))
    .flatMap((sent) => ('properties' in sent && name in sent.properties ? [sent.properties[name]] : []));
}

test('the story is the same in every week, moved by whole weeks', () => {
  const whole = relativeTo(mondayMs, steps);
  for (const days of [-2, -1.5, 1, 4.5]) expect(tellStory(wednesdayMs + days * dayMs).steps).toEqual(steps);
  for (const weeks of [1, 9, 52, 400]) {
    const weekMs = mondayMs + weeks * 7 * dayMs;
    expect(relativeTo(weekMs, tellStory(weekMs).steps) === whole, `${weeks} weeks later`).toBe(true);
    expect(relativeTo(weekMs, tellStory(weekMs + 7 * dayMs - 1).steps) === whole, 'at the end of that week').toBe(true);
  }
});

test('everything has happened by the Monday of this week, in order, over ten months of working days', () => {
  const times = steps.map(({ atMs }) => atMs);
  expect(times).toEqual([...times].sort((left, right) => left - right));
  expect(begunAtMs).toBeLessThan(times[0] ?? 0);
  expect(times.at(-1)).toBeLessThan(mondayMs);
  expect(times.at(-1)).toBeGreaterThan(mondayMs - 4 * dayMs);
  expect(mondayMs - begunAtMs).toBeGreaterThan(290 * dayMs);
  expect(times.map((ms) => new Date(ms).getUTCDay()).filter((day) => day === 0 || day === 6)).toEqual([]);
});

test('no one in it can be reached: domains and telephone numbers are reserved ones', () => {
  const text = JSON.stringify(steps);
  const hosts = [...text.matchAll(/(?:https?:\/\/|@)([^/"\s]+)/g)].map((match) => match[1] ?? '');
  expect(hosts.length).toBeGreaterThan(500);
  expect(hosts.filter((host) => !host.endsWith('.example'))).toEqual([]);
  expect(valuesOf('svc_domain').filter((domain) => !String(domain).endsWith('.example'))).toEqual([]);
  const phones = [...valuesOf('svc_phone_number').flat(), ...valuesOf('svc_from_number'), ...valuesOf('svc_to_number')];
  const numbers = phones.map((phone) => {
    const { country_code, national_number } = phone as { country_code: string; national_number: string };
    return `${country_code} ${national_number}`;
  });
  expect(numbers.length).toBeGreaterThan(100);
  const reserved =
    /^(GB 2079460\d{3}|(US|CA) \d{3}55501\d{2}|DE 3023125\d{3}|FR 19900\d{4}|AU 85550\d{4}|SE 8465004\d{2}|IE 2091\d{5})$/;
  expect(numbers.filter((number) => !reserved.test(number))).toEqual([]);
});

test('no one appears twice, and every placeholder in a text is filled', () => {
  const emails = valuesOf('svc_email').flat();
  expect(new Set(emails).size).toBe(emails.length);
  expect(emails.filter((email) => !/^[a-z]+\.[a-z]+@[a-z]+\.example$/.test(String(email)))).toEqual([]);
  const references = valuesOf('reference');
  expect(new Set(references).size).toBe(references.length);
  expect(JSON.stringify(steps)).not.toMatch(/\{(person|company|deal)\}|undefined|NaN/);
});
