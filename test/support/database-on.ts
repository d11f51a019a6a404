// Creates databases on a server, empty or as copies of another.
import pg from 'pg';
import { newId } from '../../src/base/id.ts';

interface NamedDatabase {
  readonly name: string;
  readonly url: string;
  drop(): Promise<void>;
}

export async function createDatabaseOn(serverUrl: string, template = 'template0'): Promise<NamedDatabase> {
  const name = `orrery_test_${newId().replaceAll('-', '')}`;
  await run(serverUrl, `create database ${name} encoding 'UTF8' template ${template}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { name, url: url.href, drop: () => run(serverUrl, `drop database ${name} with (force)`) };
}

async function run(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
