// That a key is used is noted in the background, once a minute, with statements of its own: tests that count statements or
// connections wait until it is done.
import type { Client } from './client.ts';
import { rawQuery } from './database.ts';
import { until } from './eventually.ts';
import type { TestService } from './service.ts';

export async function untilUseIsNoted({ databaseUrl }: TestService, client: Client): Promise<void> {
  const keyId = client.key?.slice('svc_live_'.length).split('_')[0];
  const text = `select 1 from orrery.record where properties ->> 'svc_key_id' = $1 and properties ? 'svc_last_used_at'`;
  await client.get('/self/');
  await until(async () => ((await rawQuery(databaseUrl, text, [keyId])).rowCount ?? 0) > 0);
}
