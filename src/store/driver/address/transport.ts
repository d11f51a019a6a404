// Decides whether the connections to a server use TLS, once when its database is opened. Where TLS is preferred, plain text is
// used only if the server says that it has no TLS, and not if something goes wrong.
import { connect } from 'node:net';
import type { ClientConfig } from 'pg';
import { serialize } from 'pg-protocol';
import type { Transport } from '../../database.ts';
import type { HostAddress } from './server-address.ts';

export interface Settled {
  readonly connection: ClientConfig;
  readonly transport: Transport;
}

/** A host that says nothing for `waitMs` is taken to have TLS: connecting to it reports what is wrong. */
export async function settleTransport(address: HostAddress, waitMs: number): Promise<Settled> {
  const { connection, tls } = address;
  if (tls === 'as set') return { connection, transport: transportOf(connection, address) };
  const certificates = typeof connection.ssl === 'object' ? connection.ssl : {};
  const ssl = (await refusesTls(address, waitMs)) ? false : { ...certificates, rejectUnauthorized: false };
  const settled = { ...connection, ssl };
  return { connection: settled, transport: transportOf(settled, address) };
}

function transportOf({ ssl }: ClientConfig, { isLocal }: HostAddress): Transport {
  if (ssl === undefined || ssl === false) return isLocal ? 'local' : 'plain_text';
  return typeof ssl === 'object' && ssl.rejectUnauthorized === false ? 'tls_unverified' : 'tls_verified';
}

/** PostgreSQL answers the request for TLS with one byte: S or N. If it does not, the pool reports what is wrong. */
async function refusesTls({ host, port }: HostAddress, waitMs: number): Promise<boolean> {
  const socket = connect({ host, port });
  const answer = await new Promise<string>((resolve) => {
    const unknown = () => resolve('');
    socket.setTimeout(waitMs, unknown);
    socket.on('error', unknown);
    socket.on('close', unknown);
    socket.once('connect', () => socket.write(serialize.requestSsl()));
    socket.once('data', (bytes) => resolve(bytes.toString('latin1')));
  });
  socket.destroy();
  return answer === 'N';
}
