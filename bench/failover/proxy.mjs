// A proxy in front of one port that can cut the network: then nothing passes, neither bytes nor the ends of connections, and
// nobody is told. When it is mended, what was sent meanwhile arrives, because TCP repeats what got lost; a connection that
// was opened meanwhile is made then.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

const host = '127.0.0.1';

export async function startProxy(targetPort) {
  const lines = new Set();
  let isCut = false;
  const listener = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    const line = new Line(client, targetPort);
    lines.add(line);
    line.whenOver(() => lines.delete(line));
    if (!isCut) line.flow();
  });
  listener.listen({ host, port: 0 });
  await once(listener, 'listening');
  return {
    port: listener.address().port,
    cut: () => {
      isCut = true;
      for (const line of lines) line.hold();
    },
    mend: () => {
      isCut = false;
      for (const line of lines) line.flow();
    },
  };
}

/** One connection: two sockets, and what waits between them. */
class Line {
  #client;
  #server;
  #targetPort;
  #isHeld = true;
  /** Ends that were not passed on yet. */
  #ends = [];
  #over = () => {};

  constructor(client, targetPort) {
    this.#client = client;
    this.#targetPort = targetPort;
    this.#watch(client, () => this.#server);
  }

  whenOver(told) {
    this.#over = told;
  }

  hold() {
    this.#isHeld = true;
    for (const socket of [this.#client, this.#server]) socket?.unpipe().pause();
  }

  flow() {
    this.#isHeld = false;
    if (this.#server === undefined) {
      this.#server = connect({ host, port: this.#targetPort, allowHalfOpen: true });
      this.#watch(this.#server, () => this.#client);
    }
    this.#client.pipe(this.#server);
    this.#server.pipe(this.#client);
    for (const end of this.#ends.splice(0)) end();
  }

  /** A socket that has broken takes the other one along, as soon as anything passes. */
  #watch(socket, other) {
    socket.on('error', () => {});
    socket.on('close', () => {
      const end = () => {
        other()?.destroy();
        this.#over();
      };
      if (this.#isHeld) this.#ends.push(end);
      else end();
    });
  }
}
