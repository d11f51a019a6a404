// The client's lists and types compared with the served document: neither can change without the other.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operations } from '../../client/operations.ts';
import { untoldProperties } from '../../client/sync-changes.ts';
import { problemStatuses } from '../../client/wire.ts';
import { builtinCatalog } from '../../src/schema/custom/build-catalog.ts';
import { isKeptByService } from '../../src/schema/roles/kept-by-service.ts';
import { compile } from '../support/client/compile.ts';
import { type Document, printDocumentTypes } from '../support/client/document-types.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let document: Document;
beforeAll(async () => {
  service = await startService();
  document = JSON.parse((await service.client().raw('GET', '/rest/v1/openapi.json')).text) as Document;
});
afterAll(() => service.stop());

test('the operations are those of the document, and are repeated as it allows', () => {
  const served = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters }]) => {
      const headers = parameters.filter((each) => each.in === 'header').map(({ name }) => name);
      const writes = headers.includes('Svc-Dry-Run');
      const repetition = headers.includes('Idempotency-Key') ? 'keyed' : writes ? 'same' : 'harmless';
      return [operationId, { method: method.toUpperCase(), path, repetition }];
    }),
  );
  expect(served).toHaveLength(20);
  expect(operations).toEqual(Object.fromEntries(served));
});

test('the codes and their statuses are those of the document', () => {
  const { properties } = document.components.schemas['Problem'] as unknown as {
    readonly properties: Readonly<Record<'code' | 'status', { readonly enum: readonly unknown[] }>>;
  };
  expect(new Set(Object.keys(problemStatuses))).toEqual(new Set(properties.code.enum));
  expect(new Set(Object.values(problemStatuses))).toEqual(new Set(properties.status.enum));
  for (const methods of Object.values(document.paths)) {
    for (const { responses } of Object.values(methods) as unknown as {
      responses: Record<string, { $ref?: string }>;
    }[]) {
      for (const [answered, { $ref = '' }] of Object.entries(responses).filter(([, each]) => each.$ref !== undefined)) {
        expect((problemStatuses as Record<string, number>)[$ref.split('/').at(-1) ?? '']).toBe(Number(answered));
      }
    }
  }
});

/** How two types relate, as decided by the compiler. */
const comparisons = `
    import type * as client from '@orrery/client';
    import type * as document from './document.ts';
    export type Any = client.AnySchema;
    export type Fits<A, B> = [A] extends [B] ? true : false;
    export type SameKeys<A, B> = [keyof A, keyof B] extends [keyof B, keyof A] ? true : false;
    export type Same<A, B> = [Fits<A, B>, Fits<B, A>, SameKeys<A, B>] extends [true, true, true] ? true : false;
    export const all: true[] = [];`;

/** The client's types beside those of the document. */
function sameTypes(): Readonly<Record<string, string>> {
  const same = [
    'Grant',
    'Limits',
    'Self',
    'ObjectType',
    'Option',
    'Property',
    'ObjectTypeDetail',
    'AssociationType',
    'AssociationEnd',
    'Association',
    'DeletedRecord',
    'Group',
    'Change',
  ];
  const uses = `${comparisons}
    ${same.map((name) => `all.push(true satisfies Same<client.${name}, document.${name}>);`).join('\n    ')}
    // Open lists are wider in the client, and operators have names.
    all.push(true satisfies Fits<document.Service, client.Service>, true satisfies SameKeys<client.Service, document.Service>);
    all.push(true satisfies Fits<client.FieldType, document.FieldType>, true satisfies SameKeys<client.FieldType, document.FieldType>);
    all.push(true satisfies Fits<document.BatchResult, client.BatchResult>);
    all.push(true satisfies SameKeys<client.BatchItemResult, document.BatchResult['results'][number]>);
    all.push(true satisfies Same<client.ProblemBody, Omit<document.Problem, 'status'> & { readonly status: number }>);
    // The client has types for values that the document leaves open.
    all.push(true satisfies Same<Omit<client.OtherEnd<Any, string>, 'properties'>, Omit<document.AssociatedRecord, 'properties'>>);
    type Values = 'properties' | 'associations';
    all.push(true satisfies Same<Omit<client.RecordOf<Any, string>, Values>, Omit<document.Record, Values>>);
    all.push(true satisfies SameKeys<client.RecordOf<Any, string>, document.Record>);
    all.push(true satisfies SameKeys<Item<client.RecordOf<Any, string>>, Item<document.Record>>);
    all.push(true satisfies Same<client.Link<Any, string>, document.Link>);
    all.push(true satisfies Same<client.Filter<Any, string>, document.Filter>);
    all.push(true satisfies Same<client.Query<Any, string>, document.queryRecordsBody>);
    all.push(true satisfies Fits<client.Aggregate<Any, string>, document.aggregateRecordsBody>);
    all.push(true satisfies SameKeys<client.Aggregate<Any, string>, document.aggregateRecordsBody>);
    all.push(true satisfies Fits<client.BatchOperation<Any>, document.BatchOperation>);
    all.push(true satisfies Fits<document.BatchOperation['operation'], client.BatchOperation<Any>['operation']>);
    type Item<R extends { readonly associations?: { readonly [name: string]: unknown } }> = NonNullable<NonNullable<R['associations']>[string]>;`;
  return { 'document.ts': printDocumentTypes(document), 'uses.ts': uses };
}

/** The same with documents that differ from the client. */
function otherTypes(): Readonly<Record<string, string>> {
  const { Change: change = {}, ...others } = document.components.schemas;
  const { properties, required } = change as { properties: Record<string, object>; required: readonly string[] };
  const { at: _, ...fewer } = properties;
  const planted: Readonly<Record<string, object>> = {
    fewer: { ...change, properties: fewer, required: required.filter((name) => name !== 'at') },
    more: { ...change, properties: { ...properties, by: { type: 'string' } } },
    other: { ...change, properties: { ...properties, at: { type: 'integer' } } },
  };
  const files = Object.entries(planted).flatMap(([name, each]) => {
    const schemas = { ...others, Change: each } as Document['components']['schemas'];
    const text = printDocumentTypes({ ...document, components: { ...document.components, schemas } });
    const use = `${comparisons.replace('./document.ts', `./${name}.ts`)}\nall.push(true satisfies Same<client.Change, document.Change>);`;
    return [
      [`${name}.ts`, text],
      [`use-${name}.ts`, use],
    ];
  });
  return Object.fromEntries(files) as Record<string, string>;
}

test('the types of answers are those of the document, arguments fit the bodies, and differences are noticed', async () => {
  const told = await compile({ ...sameTypes(), ...otherTypes() });
  // A missing member, an extra one, and one of another type are found; the real document has no errors.
  expect(told.match(/[\w-]+\.ts(?=\()/g)?.sort(), told).toEqual(['use-fewer.ts', 'use-more.ts', 'use-other.ts']);
});

test('a copy leaves out exactly the properties that the feed leaves out', () => {
  const kept = [...builtinCatalog.objectTypes.values()].flatMap((type) =>
    [...type.properties.values()].filter(isKeptByService).map(({ name }) => name),
  );
  expect([...untoldProperties].sort()).toEqual([...new Set(kept)].sort());
});
