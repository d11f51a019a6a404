// The test client. Every answer is checked in every test: against the OpenAPI document that the
// same service serves, and against the rules that hold for every response (contract 2 and 8). It needs no test runner.
import assert from 'node:assert/strict';
import type { Answer, CallOptions } from './answer.ts';
import { Contract } from './contract.ts';
import { checkEveryAnswer } from './every-answer.ts';

const contracts = new Map<string, Promise<Contract>>();

export class Client {
  readonly #url: string;
  readonly key: string | undefined;

  constructor(url: string, key: string | undefined) {
    this.#url = url;
    this.key = key;
  }

  get(path: string, options?: CallOptions): Promise<Answer> {
    return this.call('GET', path, options);
  }

  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer> {
    return this.send('POST', path, body, headers);
  }

  patch(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer> {
    return this.send('PATCH', path, body, headers);
  }

  put(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer> {
    return this.send('PUT', path, body, headers);
  }

  delete(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer> {
    return this.call('DELETE', path, headers === undefined ? {} : { headers });
  }

  /** A body as JSON; a string is sent as it is. */
  send(method: string, path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.call(method, path, {
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  /** `path` is below /rest/v1, such as `/self/`. */
  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    await this.#contract();
    return this.verify(method, path, await this.raw(method, `/rest/v1${path}`, options), options);
  }

  /** The checks of `call`, for an answer that was received another way, such as over a bare socket. */
  async verify(method: string, path: string, answer: Answer, options: CallOptions = {}): Promise<Answer> {
    const contract = await this.#contract();
    if (options.allowFault === undefined) assert.ok(answer.status < 500, answer.text);
    checkEveryAnswer(method, answer, this.key);
    contract.check(method, path, answer);
    return answer;
  }

  /** Any path of the host, without the checks of the contract. */
  async raw(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    // `fetch` would ask for compressed answers, and hide that it got them: what is compared here is what is sent.
    const headers = new Headers({ 'accept-encoding': 'identity' });
    if (this.key !== undefined) headers.set('authorization', `Bearer ${this.key}`);
    for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers,
      redirect: 'manual',
      ...(options.body === undefined ? {} : { body: options.body }),
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json') === true && text !== '';
    return { status: response.status, headers: response.headers, text, body: json ? JSON.parse(text) : undefined };
  }

  #contract(): Promise<Contract> {
    const known = contracts.get(this.#url);
    if (known !== undefined) return known;
    // Asked for without the key, so that it costs the org none of its limit.
    const loading = new Client(this.#url, undefined)
      .raw('GET', '/rest/v1/openapi.json')
      .then(({ text }) => new Contract(text));
    contracts.set(this.#url, loading);
    return loading;
  }
}
