// Reads the file given with --map, which assigns columns to properties.
import { open } from 'node:fs/promises';
import { Failure } from '../../base/failure.ts';
import { isObject, shorten } from '../../base/json.ts';
import { repeatedMember } from '../../base/json-text/repeated-member.ts';
import { bounds } from '../../base/limits.ts';
import type { ColumnMap } from '../../engine/import/plan.ts';

const form = 'Write it as {"Column of the file": "svc_last_name", "Ignored column": null}.';

export async function readColumnMap(path: string | undefined): Promise<ColumnMap> {
  if (path === undefined) return new Map();
  const text = await readText(path);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Failure('invalid_file', `The map ${path} is not JSON.`, form, error);
  }
  const repeated = repeatedMember(text, value);
  if (repeated !== undefined) {
    const sentence = `The map ${path} names the column ${JSON.stringify(shorten(repeated, 64))} twice.`;
    throw new Failure('invalid_file', sentence, 'Remove one of them.');
  }
  if (!isObject(value)) throw new Failure('invalid_file', `The map ${path} is not a JSON object.`, form);
  const entries = Object.entries(value);
  const wrong = entries.find(([, property]) => typeof property !== 'string' && property !== null);
  if (wrong === undefined) return new Map(entries as [string, string | null][]);
  const column = JSON.stringify(shorten(wrong[0], 64));
  throw new Failure('invalid_file', `The map ${path} assigns the column ${column} neither a name nor null.`, form);
}

async function readText(path: string): Promise<string> {
  try {
    const file = await open(path);
    try {
      const buffer = Buffer.alloc(bounds.cli.columnMapBytes);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
      if (bytesRead < buffer.length) return buffer.toString('utf8', 0, bytesRead).replace(/^\ufeff/, '');
    } finally {
      await file.close();
    }
  } catch (error) {
    throw new Failure('invalid_file', `The map ${path} cannot be read.`, 'Check its name and permissions.', error);
  }
  const sentence = `The map ${path} is larger than ${bounds.cli.columnMapBytes.toLocaleString('en-US')} bytes.`;
  throw new Failure('invalid_file', sentence, form);
}
