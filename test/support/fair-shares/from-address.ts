// Requests from another address of this machine: on Linux every address of 127.0.0.0/8 is one.
import { type IncomingHttpHeaders, request } from 'node:http';

export interface AddressedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly reason: string | undefined;
}

interface AddressedRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks over a connection of its own. */
export function askFrom(
  localAddress: string,
  port: number,
  path: string,
  { method = 'GET', headers = {} }: AddressedRequest = {},
): Promise<AddressedAnswer> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, method, localAddress, headers, agent: false };
    const asked = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const isProblem = response.headers['content-type']?.startsWith('application/problem+json') === true;
        const reason = isProblem ? (JSON.parse(text) as { reason?: string }).reason : undefined;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, reason });
      });
    });
    asked.on('error', reject);
    asked.end();
  });
}
