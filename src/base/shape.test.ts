// Declared shapes: every error of a value is reported in words, at its place and only once.
import fc from 'fast-check';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { shape } from './shape.ts';
import { unknownMember } from './shape-faults.ts';

const strict = { additionalProperties: false } as const;
const order = shape(
  Type.Object(
    {
      operation: Type.Enum(['create', 'delete']),
      object_type: Type.String({ minLength: 1, maxLength: 10 }),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
      target: Type.Optional(
        Type.Union([Type.String(), Type.Object({ ref: Type.String() }, strict), Type.Array(Type.String())]),
      ),
      links: Type.Optional(Type.Array(Type.Object({ target_id: Type.String() }, strict), { maxItems: 600 })),
    },
    strict,
  ),
);
const right = { operation: 'create', object_type: 'svc_deal' };

test('a value of the shape has no faults', () => {
  for (const value of [right, { ...right, limit: 1, target: { ref: 'a' }, links: [{ target_id: 'x' }] }]) {
    expect(order.check(value)).toEqual([]);
    expect(order.admits(value)).toBe(true);
  }
});

test('an unknown member offers the nearest one that the shape knows', () => {
  expect(order.check({ ...right, limt: 5 })).toEqual([
    {
      pointer: '/limt',
      reason: 'unknown_member',
      detail: 'There is no member "limt" here.',
      nearest: 'limit',
    },
  ]);
  expect(order.admits({ ...right, limt: 5 })).toBe(false);
});

test('an unknown member without a similar name lists the allowed ones', () => {
  expect(order.check({ ...right, something_else: 5 })).toEqual([
    {
      pointer: '/something_else',
      reason: 'unknown_member',
      detail: 'There is no member "something_else" here.',
      allowed: ['operation', 'object_type', 'limit', 'target', 'links'],
    },
  ]);
});

test('the known members of a nested object are its own, not those around it', () => {
  const [fault, ...rest] = order.check({ ...right, links: [{ target_id: 'x' }, { target_id: 'x', target_od: 'y' }] });
  expect(rest).toEqual([]);
  expect(fault).toMatchObject({ pointer: '/links/1/target_od', reason: 'unknown_member', nearest: 'target_id' });
});

test('a missing member is named with its place', () => {
  expect(order.check({ operation: 'create', links: [{}] })).toEqual([
    { pointer: '/object_type', reason: 'invalid_member', detail: 'The member "object_type" is required.' },
    { pointer: '/links/0/target_id', reason: 'invalid_member', detail: 'The member "target_id" is required.' },
  ]);
});

test('the fault of a member of the wrong JSON type says what was expected and what was received', () => {
  const [fault, ...rest] = order.check({ ...right, limit: '5' });
  expect(rest).toEqual([]);
  expect(fault).toMatchObject({ pointer: '/limit', reason: 'invalid_member' });
  expect(fault?.detail).toContain('integer');
  expect(fault?.detail).toContain('got the string "5"');
  expect(fault?.expected).toMatchObject({ type: 'integer', minimum: 1, maximum: 500 });
});

test.each([[null], [[]], ['text'], [5], [true]])(
  'a body that is not an object is one fault at its root: %j',
  (body) => {
    const faults = order.check(body);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatchObject({ pointer: '', reason: 'invalid_member' });
    expect(faults[0]?.detail).toMatch(/object; got .+\.$/);
  },
);

test('a value outside its bounds or its list is a fault with the bound in it', () => {
  const faults = order.check({ operation: 'remove', object_type: '', limit: 501 });
  expect(faults.map((fault) => fault.pointer)).toEqual(['/operation', '/object_type', '/limit']);
  expect(faults[0]?.expected).toMatchObject({ enum: ['create', 'delete'] });
  expect(faults[1]?.expected).toMatchObject({ minLength: 1 });
  expect(faults[2]?.expected).toMatchObject({ maximum: 500 });
});

test('a value that fits none of several forms is one fault, however wrong it is in each', () => {
  for (const target of [5, null, {}, { ref: 5 }, { ref: 'a', more: 1 }, [1, 2, 3]]) {
    const faults = order.check({ ...right, target });
    expect(faults, JSON.stringify(target)).toHaveLength(1);
    expect(faults[0]).toMatchObject({ pointer: '/target', reason: 'invalid_member' });
  }
});

test('all faults are reported together: unknown, missing and wrong members at every depth', () => {
  const faults = order.check({ operation: 'no', extra: 1, limit: 0, target: 5, links: [{ target_id: 1 }, 'x', {}] });
  expect(faults.map((fault) => fault.pointer ?? '').sort()).toEqual(
    [
      '/operation',
      '/extra',
      '/object_type',
      '/limit',
      '/target',
      '/links/0/target_id',
      '/links/1',
      '/links/2/target_id',
    ].sort(),
  );
});

test('more than eight faults are all reported, up to 500', () => {
  expect(order.check({ ...right, links: Array.from({ length: 20 }, () => 5) })).toHaveLength(20);
  expect(order.check({ ...right, links: Array.from({ length: 600 }, () => 5) })).toHaveLength(500);
  const unknown = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`unknown_${index}`, 1]));
  expect(order.check({ ...right, ...unknown })).toHaveLength(30);
});

test('a member called __proto__ or constructor is unknown like any other', () => {
  const body = JSON.parse('{"operation": "create", "object_type": "a", "__proto__": {"limit": 5}, "constructor": 1}');
  expect(order.check(body).map((fault) => fault.pointer)).toEqual(['/__proto__', '/constructor']);
});

test('members that a body only inherits do not count', () => {
  const faults = order.check(JSON.parse('{"__proto__": {"operation": "create", "object_type": "a"}}'));
  expect(faults.map((fault) => fault.pointer ?? '').sort()).toEqual(['/__proto__', '/object_type', '/operation']);
});

test('the pointer of an unknown member is escaped', () => {
  expect(order.check({ ...right, 'a/b~c': 1 })[0]?.pointer).toBe('/a~1b~0c');
  expect(unknownMember('/links/0', 'x/y', ['z']).pointer).toBe('/links/0/x~1y');
});

test('lengths are counted in code points', () => {
  expect(order.check({ ...right, object_type: '😀'.repeat(10) })).toEqual([]);
  expect(order.check({ ...right, object_type: '😀'.repeat(11) })).toHaveLength(1);
  expect(order.check({ ...right, object_type: 'e\u0301'.repeat(6) })).toHaveLength(1);
});

test('check and admits agree on any JSON, and every fault has a place and a text', () => {
  const near = fc.record(
    {
      operation: fc.oneof(fc.constantFrom('create', 'delete'), fc.jsonValue()),
      object_type: fc.oneof(fc.string({ minLength: 1, maxLength: 10 }), fc.jsonValue()),
      limit: fc.oneof(fc.integer({ min: 1, max: 500 }), fc.jsonValue()),
      target: fc.oneof(fc.string(), fc.record({ ref: fc.string() }), fc.jsonValue()),
      links: fc.oneof(fc.array(fc.record({ target_id: fc.string() })), fc.jsonValue()),
      other: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(near, fc.jsonValue()), (value) => {
      const faults = order.check(value);
      expect(faults.length === 0).toBe(order.admits(value));
      for (const fault of faults) {
        expect(fault.pointer).toMatch(/^(\/.*)?$/s);
        expect(fault.detail).toMatch(/^\S.*\.$/s);
      }
      expect(new Set(faults.map((fault) => fault.pointer)).size).toBe(faults.length);
    }),
  );
});

test('a value with more unknown members than are reported is refused like one with fewer', () => {
  const strict = shape(Type.Object({ known: Type.Optional(Type.String()) }, { additionalProperties: false }));
  for (const count of [1, 499, 500, 501, 5_000]) {
    const value = Object.fromEntries(Array.from({ length: count }, (_, index) => [`z${index}`, 1]));
    const faults = strict.check(value);
    expect(faults.length).toBe(Math.min(count, 500));
    expect(faults[0]).toMatchObject({ pointer: '/z0', reason: 'unknown_member' });
    expect(strict.check({ ...value, known: 5 }).length).toBeGreaterThan(0);
  }
});
