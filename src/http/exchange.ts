// One request, and what is found out about it on its way.
import type { IncomingMessage } from 'node:http';
import type { RateState } from '../access/rate-limit.ts';
import type { Session } from '../engine/process/session.ts';
import type { Body } from '../engine/shares/bodies.ts';
import type { ByteOwner } from '../engine/shares/bytes.ts';
import type { Sender } from '../engine/shares/crowd.ts';
import { networkOf } from '../engine/shares/network.ts';
import { addressOf } from './request-head.ts';

export interface Exchange {
  readonly requestId: string;
  readonly startedMs: number;
  readonly origin: () => string;
  route: string;
  session: Session | undefined;
  rate: RateState | undefined;
  /** The share of its body; undefined if it has none. */
  body: Body | undefined;
  /** Units of the rate limit that it has cost so far. */
  units: number;
  /** The sender as whose request it has entered the crowd; undefined before that. */
  sender: Sender | undefined;
}

/** Who has the share of memory that its answer takes. */
export function ownerOf({ session }: Exchange, request: IncomingMessage): ByteOwner {
  return session?.caller.orgId ?? networkOf(addressOf(request));
}
