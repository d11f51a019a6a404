// The package of the service has the same client under its former name.
import { createClient, OrreryProblem } from 'orrery/client';
import type { Schema } from './schema.ts';

export async function nameOf(id: string): Promise<string | undefined> {
  const client = createClient<Schema>({ url: 'http://127.0.0.1:4610', key: 'x' });
  try {
    return (await client.records('vessel').get(id)).data.properties.name;
  } catch (error) {
    if (error instanceof OrreryProblem && error.code === 'not_found') return undefined;
    throw error;
  }
}
