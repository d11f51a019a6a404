// Attacks with long polls: many that wait for a type that never changes, more than may wait, and some that leave at once.
import type { Socket } from 'node:net';
import { type Attack, ask, besiege, count, holdOn, type NoisyWorld, newTally, pause, scaled } from './attack.ts';
import { ReplyReader } from './replies.ts';
import { openSocket, Wire } from './wire.ts';

/** A request that waits for changes of risks, of which there are none. */
async function pollRequest(world: NoisyWorld): Promise<Buffer> {
  const wire = new Wire(world, 'kept');
  const reply = await wire.ask(ask(world.keys.full, 'GET', '/changes/?cursor=latest&object_type=svc_risk'));
  wire.close();
  const cursor = /"next_cursor":"([^"]*)"/.exec(reply?.text ?? '')?.[1] ?? 'latest';
  return ask(world.keys.full, 'GET', `/changes/?cursor=${cursor}&object_type=svc_risk&wait=25`);
}

/** Polls on so many connections; an answered poll is sent again. */
function holdPolls(world: NoisyWorld, clients: number, bytes: Buffer, until: number) {
  const answered: Record<string, number> = {};
  const begin = (socket: Socket) => {
    const reader = new ReplyReader(({ status }) => {
      answered[status] = (answered[status] ?? 0) + 1;
      // A refused poll is tried again, but not at once.
      setTimeout(() => socket.writable && performance.now() < until && socket.write(bytes), status === 200 ? 0 : 2_000);
    }, 'dropped');
    socket.on('data', (chunk: Buffer) => reader.take(chunk));
    socket.write(bytes);
  };
  return holdOn(world, { clients, begin, atOnce: 100 }, until).then((tally) => {
    for (const [status, times] of Object.entries(answered)) count(tally, status, times);
    return tally;
  });
}

const pollsBesideWrites: Attack = {
  name: 'polls for a type that never changes, beside writes',
  arm: (world) => {
    const write = ask(world.keys.full, 'POST', '/objects/svc_contact/records/', {
      properties: { svc_last_name: 'Written' },
    });
    return async (until) => {
      const bytes = await pollRequest(world);
      const writing = besiege(world, { clients: 4, perSecond: 90, next: () => write }, until);
      const [tally, written] = await Promise.all([holdPolls(world, scaled(world, 100), bytes, until), writing]);
      for (const [outcome, times] of Object.entries(written.outcomes)) count(tally, `write ${outcome}`, times);
      return tally;
    };
  },
};

const thousandsOfPolls: Attack = {
  name: 'thousands of polls',
  arm: (world) => async (until) => holdPolls(world, scaled(world, 4_000), await pollRequest(world), until),
};

/** Clients that ask, wait a little and leave. */
const abandonedPolls: Attack = {
  name: 'polls that are abandoned',
  arm: (world) => async (until) => {
    const bytes = await pollRequest(world);
    const tally = newTally();
    for (let sent = 0; performance.now() < until && sent < world.units; sent++) {
      const socket = openSocket(world);
      socket.write(bytes);
      setTimeout(() => socket.destroy(), 100);
      count(tally, 'abandoned');
      await pause(10);
    }
    await pause(150);
    return tally;
  },
};

/** Polls for everything, which all get the same long page at once, and read it as fast as it comes. */
const pollsForLongPages: Attack = {
  name: 'polls that all get long pages',
  arm: (world) => {
    const create = { operation: 'create', object_type: 'svc_note', properties: { svc_body: 'long '.repeat(1_600) } };
    const write = ask(world.keys.full, 'POST', '/batch/', { operations: Array(scaled(world, 500)).fill(create) });
    const poll = ask(world.keys.full, 'GET', '/changes/?cursor=latest&limit=1000&wait=25');
    return async (until) => {
      const writing = besiege(world, { clients: 1, perSecond: 1, cost: 64, next: () => write }, until);
      const [tally, written] = await Promise.all([holdPolls(world, scaled(world, 100), poll, until), writing]);
      for (const [outcome, times] of Object.entries(written.outcomes)) count(tally, `write ${outcome}`, times);
      return tally;
    };
  },
};

export const pollAttacks: readonly Attack[] = [pollsBesideWrites, pollsForLongPages, thousandsOfPolls, abandonedPolls];
