// One of two orgs that must look the same to a key of reach `user`. Requests and answers name records, users and cursors
// by words that both orgs share: known ones by their word, others in the order in which
// answers first named them. So two answers can be compared byte for byte.
import type { Answer } from '../answer.ts';
import type { Client } from '../client.ts';
import { comparableHeaders } from '../comparable-answers.ts';

export interface Request {
  /** The id of the operation. */
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The keys of an org: `me` is of reach `user` and the one whose answers are compared. */
interface Keys {
  readonly me: Client;
  /** Sees all of the org, and belongs to no user. */
  readonly all: Client;
  /** Sees all of the org, and makes records that are those of the user of `me`, or of another one. */
  readonly mine: Client;
  readonly theirs: Client;
}

const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export class Side {
  readonly orgId: number;
  readonly keys: Keys;
  /** Whether it has what is hidden; the other org has less of it. */
  readonly full: boolean;
  readonly hiddenIds: string[] = [];
  readonly #words = new Map<string, string>();
  readonly #meanings = new Map<string, string>();
  #found = 0;

  constructor(orgId: number, keys: Keys, kind: 'plain' | 'full') {
    this.orgId = orgId;
    this.keys = keys;
    this.full = kind === 'full';
    this.#meanings.set('«org»', String(orgId));
  }

  name(word: string, meaning: string): void {
    this.#meanings.set(word, meaning);
    this.#words.set(meaning, word);
  }

  /** The id of a word. */
  id(word: string): string {
    const meaning = this.#meanings.get(word);
    if (meaning === undefined) throw new Error(`Nothing has the name ${word}.`);
    return meaning;
  }

  /** A text of a request with the ids of this org. */
  inItsIds(text: string): string {
    return text.replaceAll(/«[^»]*»/g, (word) => this.id(word));
  }

  /** Answers are checked against the document in the second org alone: those of the first must be the same. */
  send({ method, path, body, headers = {} }: Request): Promise<Answer> {
    const address = this.inItsIds(path);
    const options =
      body === undefined
        ? { headers }
        : {
            headers: { 'content-type': 'application/json', ...headers },
            body: this.inItsIds(JSON.stringify(body)),
          };
    const { me } = this.keys;
    return this.full ? me.call(method, address, options) : me.raw(method, `/rest/v1${address}`, options);
  }

  /** The answer as text that must be the same in both orgs. */
  comparable(answer: Answer): string {
    const { 'content-length': _, ...headers } = comparableHeaders(answer);
    const text = answer.text.replaceAll(answer.headers.get('svc-request-id') ?? '(none)', '(request)');
    // The document names an org in its examples, which is not one of these.
    const body = text.startsWith('{"openapi":') ? text : this.#inWords(text);
    return `${answer.status} ${this.#inWords(JSON.stringify(headers))} ${body}`;
  }

  #inWords(text: string): string {
    let named = text
      .replaceAll(/"(next|changes)_cursor":"[^"]*"/g, '"$1_cursor":"(cursor)"')
      .replaceAll(/"svc_duration_seconds": ?(\{"new":)?"[^"]*"/g, '"svc_duration_seconds":$1"(seconds)"')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '(time)')
      .replaceAll(new RegExp(`"(id|target_id)": ?"${this.orgId}"`, 'g'), '"$1":"«org»"')
      .replaceAll(new RegExp(`"org_id":${this.orgId}\\b`, 'g'), '"org_id":"«org»"')
      // Entries of the feed.
      .replaceAll(/"id":"[\w-]{22}"/g, '"id":"(entry)"');
    for (const [meaning, word] of this.#words) if (!isUuid.test(meaning)) named = named.replaceAll(meaning, word);
    return named.replaceAll(uuid, (id) => this.#wordOf(id));
  }

  #wordOf(id: string): string {
    const known = this.#words.get(id);
    if (known !== undefined) return known;
    const word = `«found ${++this.#found}»`;
    this.name(word, id);
    return word;
  }

  /** Ids and words of hidden records that are in the answer, but were not in the request. */
  leaks(request: Request, answer: Answer, hiddenWord: string): readonly string[] {
    const asked = this.inItsIds(JSON.stringify(request));
    return [...this.hiddenIds, hiddenWord].filter((text) => answer.text.includes(text) && !asked.includes(text));
  }
}
