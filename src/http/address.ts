// The address that the service listens on: a check, before any slow step, that it is available, and the message when it
// is not.
import { createServer, type Server } from 'node:net';
import { Failure } from '../base/failure.ts';
import { bounds } from '../base/limits.ts';
import { basePath } from '../operations/operation.ts';

/** The address as a URL. */
export function originOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Fails if the address is not available. If another program takes it afterwards, `listen` fails in the same way. */
export async function checkAddress(host: string, port: number): Promise<void> {
  const server = createServer();
  await listen(server, host, port);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
}

export async function listen(server: Server, host: string, port: number): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, backlog: bounds.http.backlog }, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (error) {
    throw await addressFailure(error as NodeJS.ErrnoException, host, port);
  }
}

async function addressFailure(error: NodeJS.ErrnoException, host: string, port: number): Promise<Error> {
  const refused = (sentence: string, fix: string) => new Failure('address_unavailable', sentence, fix, error);
  const another = port < 65_535 ? port + 1 : port - 1;
  switch (error.code) {
    case 'EADDRINUSE': {
      const free = `choose another port, for example with --port ${another}.`;
      if (await answersAsOrrery(host, port)) {
        return refused(`Orrery is already running at ${originOf(host, port)}.`, `Use that one, or ${free}`);
      }
      return refused(`Port ${port} on ${host} is in use by another program.`, `Stop it, or ${free}`);
    }
    case 'EACCES':
      return refused(
        `This user may not listen on port ${port}.`,
        'Choose one above 1023, for example with --port 4610.',
      );
    case 'EADDRNOTAVAIL':
      return refused(`This machine has no address ${host}.`, 'Choose another with --host, such as 127.0.0.1.');
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return refused(`The host name ${host} has no address.`, 'Choose another with --host, such as 127.0.0.1.');
    default:
      return error;
  }
}

/** Whether Orrery answers at the address. The time and size of the answer are bounded: it may be any program. */
export async function answersAsOrrery(host: string, port: number): Promise<boolean> {
  // A wildcard address is reached through loopback.
  const near = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  try {
    const answer = await fetch(`${originOf(near, port)}${basePath}/`, {
      redirect: 'error',
      signal: AbortSignal.timeout(bounds.http.greetingMs),
    });
    const reader = answer.body?.getReader();
    const beginning = await reader?.read();
    await reader?.cancel();
    const text = Buffer.from(beginning?.value ?? []).toString();
    return answer.headers.has('svc-request-id') && text.startsWith('{"data":{"name":"orrery",');
  } catch {
    return false;
  }
}
