// Opening a database that cannot be used: one sentence that says why and what to do, and never a password.
import { createServer, type Server, type Socket } from 'node:net';
import { expect, inject, test } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { newId } from '../../src/base/id.ts';
import { openMigrated } from '../../src/store/driver/open.ts';
import { rawQuery } from '../support/database.ts';

const password = 'pa55w0rd-of-the-test';

async function failureOf(url: string): Promise<Failure> {
  const error = await openMigrated({ engine: 'server', url }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Failure);
  const failure = error as Failure;
  expect(`${failure.message} ${failure.fix} ${failure.stack}`).not.toContain(password);
  expect(failure.message).toMatch(/^[A-Z].*\.$/);
  expect(failure.fix).toMatch(/^[A-Z].*\.$/);
  return failure;
}

/** The run's own server, with another database, user or parameter. */
function serverUrl(change: (url: URL) => void): string {
  const url = new URL(inject('serverUrl'));
  change(url);
  return url.href;
}

/** A program that listens like a server, but answers as the test wants. */
async function withListener(
  speak: (socket: Socket) => void,
  check: (address: string, listener: Server) => Promise<void>,
): Promise<void> {
  const sockets = new Set<Socket>();
  const listener = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    speak(socket);
  });
  await new Promise<void>((resolve) => {
    listener.listen({ host: '127.0.0.1', port: 0 }, resolve);
  });
  const { port } = listener.address() as { port: number };
  try {
    await check(`postgres://orrery:${password}@127.0.0.1:${port}/orrery`, listener);
  } finally {
    for (const socket of sockets) socket.destroy();
    listener.close();
  }
}

test('a port that nobody listens on is unreachable, by address and by name', async () => {
  await withListener(
    () => {},
    async (address, listener) => {
      await new Promise((resolve) => {
        listener.close(resolve);
      });
      for (const url of [address, address.replace('127.0.0.1', 'localhost')]) {
        const failure = await failureOf(url);
        expect(failure.kind).toBe('database_unreachable');
        expect(failure.message).toContain('Nothing answers there.');
        expect(failure.message).toContain(`${new URL(url).host}/orrery`);
      }
    },
  );
});

test('a host that has no address is unreachable', async () => {
  expect((await failureOf(`postgres://orrery:${password}@nowhere.invalid/orrery`)).kind).toBe('database_unreachable');
});

test('a socket folder without a server is unreachable', async () => {
  const url = `postgres://orrery:${password}@localhost/orrery?host=/nonexistent`;
  expect((await failureOf(url)).kind).toBe('database_unreachable');
});

test('a program that closes the connection at once is unreachable', async () => {
  await withListener(
    (socket) => socket.destroy(),
    async (address) => {
      expect((await failureOf(address)).kind).toBe('database_unreachable');
    },
  );
});

test('a program that never answers is unreachable after a bounded wait', async () => {
  await withListener(
    () => {},
    async (address) => {
      const began = performance.now();
      expect((await failureOf(address)).kind).toBe('database_unreachable');
      expect(performance.now() - began).toBeLessThan(60_000);
    },
  );
});

/** The server's answer to a start-up message: an error of the given state. */
function errorMessage(state: string, text: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${state}\0M${text}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

test.each([
  ['28P01', 'password authentication failed for user "orrery"', 'The password is wrong.'],
  ['28000', 'no pg_hba.conf entry for host "127.0.0.1", user "orrery"', 'does not allow this user to connect'],
  ['53300', 'sorry, too many clients already', 'too many clients'],
])('a server that answers %s cannot be used, and the sentence says why', async (state, text, sentence) => {
  await withListener(
    (socket) => socket.once('data', () => socket.end(errorMessage(state, text))),
    async (address) => {
      const failure = await failureOf(address);
      expect(failure.kind).toBe('database_unreachable');
      expect(failure.message).toContain(sentence);
    },
  );
});

test('a database that does not exist cannot be used, and is not created', async () => {
  const name = `orrery_test_${newId().replaceAll('-', '')}`;
  const url = serverUrl((each) => {
    each.pathname = `/${name}`;
  });
  const failure = await failureOf(url);
  expect(failure.kind).toBe('database_unreachable');
  expect(failure.message).toContain('There is no such database; create it first.');
  const { rowCount } = await rawQuery(inject('serverUrl'), 'select from pg_database where datname = $1', [name]);
  expect(rowCount).toBe(0);
});

test('a database of another encoding is unsuitable, and gets no tables', async () => {
  const name = `orrery_test_${newId().replaceAll('-', '')}`;
  const server = inject('serverUrl');
  await rawQuery(
    server,
    `create database ${name} encoding 'LATIN1' template template0 locale_provider libc locale 'C'`,
  );
  const url = serverUrl((each) => {
    each.pathname = `/${name}`;
  });
  const failure = await failureOf(url);
  expect(failure.kind).toBe('database_unsuitable');
  expect(failure.message).toContain('LATIN1');
  expect((await rawQuery(url, "select from pg_namespace where nspname = 'orrery'")).rowCount).toBe(0);
  await rawQuery(server, `drop database ${name}`);
});

test('TLS that is required but not offered is a failure that names TLS', async () => {
  await withListener(
    (socket) => socket.once('data', () => socket.write('N')),
    async (address) => {
      for (const mode of ['require', 'verify-ca&sslrootcert=system', 'verify-full']) {
        const failure = await failureOf(`${address}?sslmode=${mode}`).catch((error: Error) => error);
        if (mode === 'require') expect(failure).toMatchObject({ kind: 'database_unreachable' });
        expect(failure.message, mode).toMatch(/TLS|certificate/);
      }
    },
  );
});

test.each([
  `mysql://orrery:${password}@127.0.0.1/orrery`,
  `postgres://orrery:${password}@[/orrery`,
  `postgres://orrery:${password}@127.0.0.1:99999/orrery`,
  password,
  '',
])('an invalid address is an error of the configuration', async (url) => {
  expect((await failureOf(url)).kind).toBe('invalid_configuration');
});
