// Attacks with bytes in flight: answers that nobody reads, bodies that never end, and very much at once.
import type { Socket } from 'node:net';
import { type Attack, ask, besiege, count, holdOn, type NoisyWorld, pause, scaled } from './attack.ts';
import { dossierParts } from './prepare.ts';
import { ReplyReader } from './replies.ts';
import { openSocket } from './wire.ts';

const largePage = ({ keys }: NoisyWorld) => ask(keys.full, 'GET', '/objects/dossier/records/?limit=500');

/** A batch body without its last byte. */
function cutBatch(world: NoisyWorld): Buffer {
  const text = 'x'.repeat(60_000);
  const item = `{"operation":"create","object_type":"svc_contact","properties":{"svc_summary":"${text}"}}`;
  const items = Array.from({ length: scaled(world, 138) }, () => item);
  return ask(world.keys.full, 'POST', '/batch/', `{"operations":[${items.join()}]}`).subarray(0, -1);
}

/** Holds connections that have sent these bytes and do not read. */
function sendAndHold(name: string, clients: number, bytesOf: (world: NoisyWorld) => Buffer): Attack {
  return {
    name,
    arm: (world) => {
      const bytes = bytesOf(world);
      const begin = (socket: Socket) => {
        socket.pause();
        socket.write(bytes);
      };
      return (until) => holdOn(world, { clients: scaled(world, clients), begin, atOnce: 5 }, until);
    },
  };
}

const unreadPages = sendAndHold('pages that nobody reads', 244, largePage);

const stoppedBodies = sendAndHold('bodies without their last byte', 80, cutBatch);

/** One connection asks for many pages before it has read the first. */
const pipelinedPages = sendAndHold('pages that are asked for ahead', 10, (world) =>
  Buffer.concat(Array.from({ length: 100 }, () => largePage(world))),
);

const pipelinedSmall: Attack = {
  name: 'a thousand requests at once on each connection',
  arm: (world) => {
    const { contacts } = world.records;
    const requests = Array.from({ length: scaled(world, 1_000) }, (_, index) =>
      ask(world.keys.full, 'GET', `/objects/svc_contact/records/${contacts[index % contacts.length]}/`),
    );
    const bytes = Buffer.concat(requests);
    return async (until) => {
      const answered: Record<string, number> = {};
      const begin = (socket: Socket) => {
        const reader = new ReplyReader(({ status }) => {
          answered[status] = (answered[status] ?? 0) + 1;
        }, 'dropped');
        socket.on('data', (chunk: Buffer) => reader.take(chunk));
        socket.write(bytes);
      };
      const clients = Math.max(1, Math.floor(world.units / requests.length));
      const tally = await holdOn(world, { clients, begin }, until);
      for (const [status, times] of Object.entries(answered)) count(tally, status, times);
      return tally;
    };
  },
};

/** Reads a kilobyte ten times a second. */
const slowReaders: Attack = {
  name: 'pages that are read slowly',
  arm: (world) => {
    const bytes = largePage(world);
    return (until) => {
      const begin = (socket: Socket) => {
        socket.on('readable', () => {});
        const timer = setInterval(() => socket.read(1_024), 100);
        socket.once('close', () => clearInterval(timer));
        setTimeout(() => clearInterval(timer), until - performance.now());
        socket.write(bytes);
      };
      return holdOn(world, { clients: scaled(world, 100), begin, atOnce: 5 }, until);
    };
  },
};

/** Sends the bytes one by one, on every connection, ten times a second. */
function drip(name: string, clients: number, bytesOf: (world: NoisyWorld) => Buffer): Attack {
  return {
    name,
    arm: (world) => {
      const bytes = bytesOf(world);
      // Everything but the last 2,000 bytes at once.
      const first = Math.max(1, bytes.length - 2_000);
      return (until) => {
        const begin = (socket: Socket) => {
          let at = first;
          const timer = setInterval(() => socket.writable && socket.write(bytes.subarray(at, ++at)), 100);
          socket.once('close', () => clearInterval(timer));
          setTimeout(() => clearInterval(timer), until - performance.now());
          socket.write(bytes.subarray(0, first));
        };
        return holdOn(world, { clients: scaled(world, clients), begin, atOnce: 20 }, until);
      };
    },
  };
}

const drippedBodies = drip('bodies that drip', 60, cutBatch);

const drippedHeaders = drip('headers that drip', 500, () =>
  Buffer.from(`GET /rest/v1/self/ HTTP/1.1\r\nHost: localhost\r\nX-Slow: ${'a'.repeat(3_000)}`),
);

/** Chunks of one byte: each costs the parser a call. */
const tinyChunks: Attack = {
  name: 'bodies in chunks of one byte',
  arm: (world) => {
    const head = ask(world.keys.full, 'POST', '/batch/', undefined, [
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    ]);
    const chunks = Buffer.from('1\r\n \r\n'.repeat(scaled(world, 1_000_000)));
    const bytes = Buffer.concat([head, chunks, Buffer.from('2\r\n{}\r\n0\r\n\r\n')]);
    return (until) => besiege(world, { clients: 2, next: () => bytes }, until);
  },
};

const batchesAtOnce: Attack = {
  name: 'fifty batches of 8 MiB at once',
  arm: (world) => {
    const bytes = Buffer.concat([cutBatch(world), Buffer.from('}')]);
    return (until) => besiege(world, { clients: scaled(world, 50), cost: 3, next: () => bytes }, until);
  },
};

/** Without a key, nothing of the body should be kept. */
const anonymousBodies: Attack = {
  name: 'large bodies without a key',
  arm: (world) => {
    const bytes = Buffer.from(
      cutBatch(world)
        .toString('latin1')
        .replace(/Authorization: .*\r\n/, ''),
      'latin1',
    );
    const units = Number.POSITIVE_INFINITY;
    return (until) =>
      besiege(world, { clients: 20, perSecond: 20, units, onceLimited: 'go on', next: () => bytes }, until);
  },
};

const waitingForContinue = sendAndHold('clients that wait for 100 Continue', 200, ({ keys }) =>
  ask(keys.full, 'POST', '/batch/', undefined, [
    'Content-Type: application/json',
    'Content-Length: 8000000',
    'Expect: 100-continue',
  ]),
);

/** Each answer is half a MiB, and is kept for a day. */
const largeAnswersKept: Attack = {
  name: 'idempotency keys with large answers',
  arm: (world) => {
    const path = `/objects/dossier/records/${world.records.dossier}/`;
    const bodies = ['one text ', 'another text '].map((fill) =>
      JSON.stringify({ properties: dossierParts(scaled(world, 524_288), fill) }),
    );
    let serial = 0;
    const next = () =>
      ask(world.keys.full, 'PATCH', path, bodies[serial % 2], [`Idempotency-Key: large-${process.pid}-${serial++}`]);
    // As many as in the finding: it is about the disk that each of them takes.
    return (until) => besiege(world, { clients: 4, units: scaled(world, 100), next }, until);
  },
};

/** Connections that are cut while their answers are on the way. */
const abandonedPages: Attack = {
  name: 'pages that are abandoned',
  arm: (world) => {
    const bytes = largePage(world);
    return async (until) => {
      const tally = { outcomes: {}, times: [] };
      for (let sent = 0; performance.now() < until && sent < world.units; sent++) {
        const socket = openSocket(world);
        socket.write(bytes);
        setTimeout(() => socket.destroy(), 30);
        count(tally, 'abandoned');
        await pause(20);
      }
      await pause(50);
      return tally;
    };
  },
};

export const byteAttacks: readonly Attack[] = [
  unreadPages,
  slowReaders,
  stoppedBodies,
  drippedBodies,
  drippedHeaders,
  pipelinedPages,
  pipelinedSmall,
  tinyChunks,
  batchesAtOnce,
  anonymousBodies,
  waitingForContinue,
  abandonedPages,
  largeAnswersKept,
];
