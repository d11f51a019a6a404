// A database for one test, on the server that the whole run shares.
import pg from 'pg';
import { inject } from 'vitest';
import { newId } from '../../src/base/id.ts';

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

export async function createDatabase(): Promise<TestDatabase> {
  const name = `orrery_test_${newId().replaceAll('-', '')}`;
  await onServer(`create database ${name} encoding 'UTF8' template template0`);
  const url = new URL(inject('serverUrl'));
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => onServer(`drop database ${name} with (force)`) };
}

async function onServer(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('serverUrl') });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

/** Runs SQL directly, without the service. */
export async function rawQuery(url: string, text: string, values: readonly unknown[] = []): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(text, [...values]);
  } finally {
    await client.end();
  }
}

/** Opens a transaction that holds the locks of a statement until it is released. */
export async function holdRow(url: string, text: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('begin');
  await client.query(text);
  return async () => {
    await client.query('rollback');
    await client.end();
  };
}
