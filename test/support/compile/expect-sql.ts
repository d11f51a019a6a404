// Compares a statement with the SQL that a test shows. Line breaks and indentation do not matter, everything else does.
import { expect } from 'vitest';
import type { Sql } from '../../../src/base/sql.ts';

export function expectSql(statement: Sql, text: string, values: readonly unknown[]): void {
  expect(oneLine(statement.text)).toBe(oneLine(text));
  expect(statement.values).toEqual(values);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('( ', '(').replaceAll(' )', ')').trim();
}
