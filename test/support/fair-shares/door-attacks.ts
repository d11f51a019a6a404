// Attacks without a key: forged keys, pages for anybody, and connections for their own sake.
import { newCredentialId, newKey } from '../../../src/access/api-key.ts';
import { type Attack, besiege, count, holdOn, type NoisyWorld, newTally, pause, type Siege, scaled } from './attack.ts';
import { openSocket, requestBytes } from './wire.ts';

/** Requests with keys that have the right form and checksum, but that nobody has issued. */
function forgedRequests({ orgId }: NoisyWorld): readonly Buffer[] {
  return Array.from({ length: 5_000 }, (_, index) => {
    // Half of them name an org that exists.
    const key = newKey(newCredentialId(index % 2 === 0 ? orgId : 1_000_000 + index));
    return requestBytes('GET', '/rest/v1/self/', { key });
  });
}

const forgedKeys: Attack = {
  name: 'forged keys from one address',
  arm: (world) => {
    const requests = forgedRequests(world);
    let serial = 0;
    const next = () => requests[serial++ % requests.length] ?? Buffer.alloc(0);
    return (until) => flood(world, { clients: 20, perSecond: 500, next }, until);
  },
};

/** Each address of the loopback network has its own limit. */
const forgedKeysOfMany: Attack = {
  name: 'forged keys from many addresses',
  arm: (world) => {
    const requests = forgedRequests(world);
    let serial = 0;
    const next = () => requests[serial++ % requests.length] ?? Buffer.alloc(0);
    return (until) => flood(world, { clients: 20, perSecond: 500, next, from: addressesOf(world, 1) }, until);
  },
};

/** An address of its own for each client, where the attack has one at all. */
function addressesOf({ from }: NoisyWorld, subnet: number): (client: number) => string | undefined {
  return (client) => (from === undefined ? undefined : `127.0.${subnet}.${client + 1}`);
}

/** Two hundred wrong passwords a second, of accounts and from addresses that have not failed often enough to be slowed down. */
const wrongPasswords: Attack = {
  name: 'wrong passwords from many addresses',
  arm: (world) => {
    let serial = 0;
    const next = () => {
      const typed = { org_id: world.orgId, email: `guess${serial++}@noisy.example`, password: 'wrong horse battery' };
      const headers = ['Origin: http://localhost'];
      return requestBytes('POST', '/auth/password', { body: JSON.stringify(typed), headers });
    };
    return (until) => flood(world, { clients: 200, perSecond: 200, next, from: addressesOf(world, 2) }, until);
  },
};

/** Nobody holds an anonymous client to a quota. */
function flood(world: NoisyWorld, siege: Omit<Siege, 'units' | 'onceLimited'>, until: number) {
  return besiege(world, { ...siege, units: Number.POSITIVE_INFINITY, onceLimited: 'go on' }, until);
}

function pagesAttack(name: string, perSecond: number, requests: readonly Buffer[]): Attack {
  return {
    name,
    arm: (world) => {
      let serial = 0;
      const next = () => requests[serial++ % requests.length] ?? Buffer.alloc(0);
      return (until) => flood(world, { clients: 20, perSecond, next }, until);
    },
  };
}

const metrics = pagesAttack('a flood of /metrics', 300, [requestBytes('GET', '/metrics')]);

const readiness = pagesAttack('a flood of /readyz', 300, [requestBytes('GET', '/readyz')]);

const documents = pagesAttack(
  'a flood of documents and preflights',
  300,
  ['/docs/', '/docs/guide/', '/', '/rest/v1/', '/rest/v1/openapi.json', '/no/such/page'].flatMap((path) => [
    requestBytes('GET', path, { headers: ['Accept-Encoding: gzip'] }),
    requestBytes('OPTIONS', '/rest/v1/self/', {
      headers: ['Origin: http://localhost:1', 'Access-Control-Request-Method: GET'],
    }),
  ]),
);

const malformed = pagesAttack('malformed requests', 300, [
  Buffer.from('not http at all\r\n\r\n'),
  Buffer.from(`GET /rest/v1/self/ HTTP/1.1\r\nHost: localhost\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`),
  requestBytes('GET', `/rest/v1/${'z'.repeat(9_000)}`),
  requestBytes('GET', '/rest/v1/self/', { headers: Array.from({ length: 2_000 }, () => 'a: b') }),
]);

const idleConnections: Attack = {
  name: 'connections that do nothing',
  arm: (world) => (until) => holdOn(world, { clients: scaled(world, 3_000), begin: () => {}, atOnce: 100 }, until),
};

const connectionChurn: Attack = {
  name: 'connections that close at once',
  arm: (world) => async (until) => {
    const tally = newTally();
    while (performance.now() < until) {
      for (let index = 0; index < 10; index++) {
        const socket = openSocket(world);
        socket.once('connect', () => socket.destroy());
        count(tally, 'opened');
      }
      await pause(20);
    }
    return tally;
  },
};

export const doorAttacks: readonly Attack[] = [
  forgedKeys,
  forgedKeysOfMany,
  wrongPasswords,
  metrics,
  readiness,
  documents,
  malformed,
  idleConnections,
  connectionChurn,
];
