// Short ways to take a request back and to read what the answer tells.
import assert from 'node:assert/strict';
import type { Answer } from '../answer.ts';
import type { Client } from '../client.ts';

interface Told {
  readonly reverted: readonly string[];
  readonly kept: readonly string[];
  /** Each with its reason. */
  readonly refused: readonly string[];
}

export const requestOf = ({ body }: Answer): string => body.request_id;

export function sendRevert(
  client: Client,
  name: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return client.post('/batch/', { operations: [{ operation: 'revert', ...name }] }, headers);
}

/** Takes the request back and returns the ids in the three lists; fails if the item is refused. */
export async function revert(client: Client, requestId: string): Promise<Told> {
  return toldBy(await sendRevert(client, { request_id: requestId }));
}

export function toldBy(answer: Answer): Told {
  const [result] = answer.body.data.results;
  assert.equal(result.status, 200, answer.text);
  const ids = (list: readonly { id: string; reason?: string }[]) =>
    list.map(({ id, reason }) => (reason === undefined ? id : `${id} ${reason}`));
  return { reverted: ids(result.reverted), kept: ids(result.kept), refused: ids(result.refused) };
}
