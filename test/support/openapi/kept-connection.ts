// A connection for one request at a time, which is used again for the next one. Unlike `fetch` it sends what it is given:
// a body with GET, any bytes, any header that HTTP allows.
import { Agent, request } from 'node:http';
import type { Answer } from '../answer.ts';

interface Sent {
  readonly method: string;
  /** The request target. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

const answerMsMax = 60_000;

export class KeptConnection {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #port: number;

  constructor(port: number) {
    this.#port = port;
  }

  /** Once more on a new connection if the service has closed the old one just as the request was sent. */
  async send(sent: Sent): Promise<Answer> {
    try {
      return await this.#once(sent);
    } catch (error) {
      if (!(error as { isReused?: boolean }).isReused) throw error;
      return this.#once(sent);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #once({ method, target, headers, body }: Sent): Promise<Answer> {
    const length = body === undefined ? {} : { 'content-length': String(body.length) };
    return new Promise((resolve, reject) => {
      const options = { agent: this.#agent, host: '127.0.0.1', port: this.#port, method, path: target };
      const message = request({ ...options, headers: { ...headers, ...length } }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const fields = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
          const isJson = response.headers['content-type']?.includes('json') === true && text !== '';
          resolve({
            status: response.statusCode ?? 0,
            headers: new Headers(fields as [string, string][]),
            text,
            body: isJson ? JSON.parse(text) : undefined,
          });
        });
      });
      message.setTimeout(answerMsMax, () => message.destroy(new Error(`no answer in ${answerMsMax} ms`)));
      message.on('error', (error) => reject(Object.assign(error, { isReused: message.reusedSocket })));
      message.end(body);
    });
  }
}
