// orrery types: its output compiles, is the same every time, and makes the compiler refuse wrong names and values.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { differences, expectations } from '../../smoke/expected-errors.ts';
import { Options } from '../../src/cli/command.ts';
import { types } from '../../src/cli/types.ts';
import { readConfig } from '../../src/config.ts';
import { compile } from '../support/client/compile.ts';
import { root } from '../support/repository.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** Runs the command as main does, on the database of the service. */
async function print(org: string): Promise<{ readonly value: unknown; readonly text: string }> {
  const printed: { value: unknown; text: string }[] = [];
  await types.run({
    config: readConfig({ databaseUrl: service.databaseUrl }),
    argument: '',
    options: new Options({ org }),
    print: (value, text) => printed.push({ value, text }),
  } as Parameters<typeof types.run>[0]);
  const [only] = printed;
  if (only === undefined || printed.length > 1) throw new Error('A command prints one result.');
  return only;
}

/** The smoke test compiles the same files with the installed package and other compilers. */
function fixture(name: string): Promise<string> {
  return readFile(join(root, 'smoke/types', name), 'utf8');
}

test('wrong names and values do not compile, and right ones do, whatever people call things', async () => {
  const orgId = await service.createOrg();
  await service.applySchema(orgId, JSON.parse(await fixture('schema.json')));
  const { text, value } = await print(String(orgId));
  expect(value).toEqual({ typescript: text });
  expect(text).not.toContain('constructor');
  // No character that reverses text or ends a line is printed unescaped.
  expect(text).not.toMatch(/[\u2028\u2029\u202a-\u202e\u2066-\u2069]|[^\x20-\x7e\n…’–“”]/u);
  expect(
    text.split('\n').every((line) => /^\s*(\/\*\*.*\*\/|readonly .*[;{]|export interface \w+ \{|\}|\};)$/.test(line)),
  ).toBe(true);
  const refused = await fixture('refused.ts');
  const files = { 'schema.ts': text, 'accepted.ts': await fixture('accepted.ts'), 'refused.ts': refused };
  const told = await compile(files);
  expect(expectations(refused).length).toBeGreaterThan(45);
  expect(differences(refused, told)).toEqual([]);
  expect((await print(String(orgId))).text).toBe(text);
});

test('an org without additions has the built-in vocabulary, and an unknown org is an error', async () => {
  const { text } = await print(String(await service.createOrg()));
  expect(text).toContain("readonly svc_lead_score: 'cold' | 'warm' | 'hot';");
  expect(text).toContain("readonly svc_lead_score: FieldTypes['select'];");
  expect(text).toContain(
    'readonly svc_phone_number: readonly { readonly country_code: string; readonly national_number: string }[];',
  );
  await expect(print('999999')).rejects.toThrow('There is no org 999999.');
  await expect(print('x')).rejects.toThrow('--org must be the number of an org');
});
