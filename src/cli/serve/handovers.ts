// The connections that the first process hands to its workers. Node gives a worker one at a time and keeps a copy until the
// worker says that it has taken it. If the worker is killed before, Node would keep the copy for ever, and the client would
// wait: so it is closed here. And before the workers stop, all that has come is handed over: a worker that is stopping takes
// nothing any more.
import cluster, { type Worker } from 'node:cluster';
import { bounds } from '../../base/limits.ts';
import { untilQuiet } from '../../base/turns.ts';

interface Handovers {
  /** Resolves when everything that has come was handed over, or at its bound. */
  settled(): Promise<void>;
}

/** In the first process, before it starts its workers. */
export function watchHandovers(): Handovers {
  const open = new Map<Worker, Handover>();
  let begun = 0;
  cluster.on('fork', (worker) => {
    const channel = worker.process as unknown as Channel;
    const send = channel.send.bind(channel);
    channel.send = (message, connection, ...more) => {
      if (message.act === 'newconn' && connection !== undefined) {
        open.set(worker, { number: message.seq, connection });
        begun++;
      }
      return send(message, connection, ...more);
    };
    channel.on('internalMessage', ({ ack }) => {
      if (open.get(worker)?.number === ack) open.delete(worker);
    });
    worker.process.once('exit', () => {
      open.get(worker)?.connection.close();
      open.delete(worker);
    });
  });
  return { settled: () => untilQuiet(() => (open.size === 0 ? begun : undefined), bounds.cli.handoverMs) };
}

interface Handover {
  readonly number: unknown;
  readonly connection: Connection;
}

/** A connection without a stream around it. */
interface Connection {
  close(): void;
}

/** The channel to a worker, as Node's cluster uses it. Its messages are not documented; without them nothing is watched. */
interface Channel {
  send(message: Message, connection?: Connection, ...more: readonly unknown[]): boolean;
  on(event: 'internalMessage', listener: (message: Message) => void): unknown;
}

interface Message {
  /** `newconn` hands over a connection. */
  readonly act?: unknown;
  /** The number of a message that is to be answered. */
  readonly seq?: unknown;
  /** The number of the message that this one answers. */
  readonly ack?: unknown;
}
