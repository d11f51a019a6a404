// The contract of what is answered at /auth: a body of a declared shape, what proves who asks, and an answer. These are not
// operations: they are for the console, and take part in nothing else.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Static, TSchema } from 'typebox';
import type { RateState } from '../../access/rate-limit.ts';
import { type Shape, shape } from '../../base/shape.ts';
import type { Session } from '../../engine/process/session.ts';
import type { Body } from '../../engine/shares/bodies.ts';
import type { SignInEngine } from '../../engine/sign-in/open-sign-in.ts';
import type { OpenSession } from '../../engine/sign-in/sessions.ts';
import type { Visitor } from '../../engine/sign-in/visitor.ts';
import type { HttpContext } from '../context.ts';

/** The request, and the facts about it that the hall keeps. */
interface Visit {
  readonly requestId: string;
  readonly origin: () => string;
  route: string;
  session: Session | undefined;
  rate: RateState | undefined;
  body: Body | undefined;
}

export interface AuthRequest {
  readonly context: HttpContext;
  readonly visit: Visit;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly search: string;
}

/** One request at /auth. */
export interface AuthCall {
  readonly context: HttpContext;
  readonly engine: SignInEngine;
  readonly visitor: Visitor;
  /** Scheme and host of this service, as the browser knows it. */
  readonly origin: string;
  /** The cookie of the session, as it was sent. */
  readonly cookie: string | undefined;
}

export interface AuthAnswer {
  readonly data: unknown;
  /** The cookie to set; null clears it. */
  readonly cookie?: string | null;
}

/** Who may ask: anybody, somebody who is signed in, or any credential. */
type Access = 'anybody' | 'member' | 'credential';

/** What the access has found. */
interface Proof {
  readonly anybody: undefined;
  readonly member: OpenSession;
  readonly credential: Session;
}

interface Declaration<A extends Access, S extends TSchema> {
  readonly path: string;
  readonly access: A;
  readonly body: S;
  run(call: AuthCall, body: Static<S>, proof: Proof[A]): Promise<AuthAnswer>;
}

export interface AuthRoute {
  readonly path: string;
  readonly access: Access;
  readonly body: Shape<unknown>;
  run(call: AuthCall, body: unknown, proof: Proof[Access]): Promise<AuthAnswer>;
}

/** The list of routes forgets which body and proof each takes; `answerAuth` gives each its own. */
export function authRoute<A extends Access, S extends TSchema>(declared: Declaration<A, S>): AuthRoute {
  return { ...declared, body: shape(declared.body) } as unknown as AuthRoute;
}
