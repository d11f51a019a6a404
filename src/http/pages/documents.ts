// The documentation, as the build made it: the reference, the guide and their assets. A manifest lists the files,
// so that no part of a request ever becomes a file name. Each form of a file is read once and kept in memory, which is
// bounded by the size of the build. The examples in a page have the address under which it is read.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { exampleOrigin } from '../../operations/examples/records.ts';
import { type Coding, chooseCoding, isKnown } from '../sending/content-coding.ts';
import type { Reply } from '../sending/reply.ts';

/** A file of the documentation, as listed in the manifest. */
export interface SiteFile {
  /** The path it is served at, without a trailing slash. */
  readonly path: string;
  /** Its path in the folder; the name of a compressed form ends with its coding. */
  readonly file: string;
  readonly kind: 'page' | 'missing' | 'console' | 'worker' | 'text' | 'icon' | 'asset';
  readonly type: string;
  readonly digest: string;
  readonly codings: readonly Coding[];
}

/** In the build, the folder is beside the program. Tests run the sources and use the folder of the last build. */
const folder = new URL(import.meta.url.endsWith('.ts') ? '../../../dist/site/' : './site/', import.meta.url);

/** No request has this path, so the page has no address of its own. */
const missingPath = '(missing)';

let manifest: Promise<ReadonlyMap<string, SiteFile>> | undefined;
const contents = new Map<string, Promise<Buffer>>();

export async function findDocument(path: string): Promise<SiteFile | undefined> {
  manifest ??= kept(readManifest(), () => {
    manifest = undefined;
  });
  return (await manifest).get(path);
}

/**
 * `origin` is the address under which the reader knows the service. The examples of a page name it; other forms of the
 * page than those of the build are made for each reader, because anybody can send any host.
 */
export async function documentReply(document: SiteFile, request: IncomingMessage, origin: string): Promise<Reply> {
  if (namesOrigin(document) && origin !== exampleOrigin) return addressedReply(document, request, origin);
  const coding = chooseCoding(request.headers['accept-encoding'], document.codings);
  const tag = `"${document.digest}${coding === undefined ? '' : `-${coding}`}"`;
  const headers = {
    ...headersOf(document),
    // An asset has its digest in its name and never changes; pages are revalidated, usually with a 304.
    'Cache-Control': ['asset', 'worker'].includes(document.kind) ? 'public, max-age=31536000, immutable' : 'no-cache',
    ETag: tag,
    Vary: 'Accept-Encoding',
  };
  if (isKnown(request.headers['if-none-match'], tag)) return { status: 304, headers, body: '' };
  return inForm(document, coding, { status: 200, headers });
}

function namesOrigin({ kind }: SiteFile): boolean {
  return kind === 'page' || kind === 'text';
}

/** The document with the address of the reader in its examples, to be compressed like any answer. */
async function addressedReply(document: SiteFile, request: IncomingMessage, origin: string): Promise<Reply> {
  const text = (await read(document.file)).toString();
  const shown = document.kind === 'page' ? escapeHtml(origin) : origin;
  const body = text.replaceAll(exampleOrigin, () => shown);
  // Weak, because all codings of it share the tag.
  const tag = `W/"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`;
  const headers = { ...headersOf(document), 'Cache-Control': 'no-cache', ETag: tag, Vary: 'Accept-Encoding' };
  if (isKnown(request.headers['if-none-match'], tag)) return { status: 304, headers, body: '' };
  return { status: 200, headers, body };
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** The page that a browser shows for a path without one. */
export async function missingReply(request: IncomingMessage): Promise<Reply> {
  const document = await findDocument(missingPath);
  if (document === undefined) throw new Error(`The manifest of the documentation has no ${missingPath}.`);
  return inForm(document, chooseCoding(request.headers['accept-encoding'], document.codings), {
    status: 404,
    headers: { ...headersOf(document), Vary: 'Accept, Accept-Encoding' },
    refusal: { code: 'not_found', reason: 'route_unknown' },
  });
}

function headersOf({ type, kind }: SiteFile): Readonly<Record<string, string>> {
  return {
    'Content-Type': type,
    'Referrer-Policy': 'no-referrer',
    'Content-Security-Policy': policies[kind],
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
  };
}

async function inForm({ file }: SiteFile, coding: Coding | undefined, reply: Omit<Reply, 'body'>): Promise<Reply> {
  if (coding === undefined) return { ...reply, body: await read(file), isKept: true };
  return {
    ...reply,
    headers: { ...reply.headers, 'Content-Encoding': coding },
    body: await read(`${file}.${coding}`),
    isKept: true,
  };
}

const closed = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** Readers type keys into the reference and passwords into the console: only our own scripts run, and reach only this service. */
const scripted = `${closed}; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self'`;

const policies: Readonly<Record<SiteFile['kind'], string>> = {
  page: scripted,
  missing: scripted,
  console: `${scripted}; font-src 'self'; worker-src 'self'`,
  // A worker obeys the policy that comes with its own file. It is one file, which loads no other.
  worker: `${closed}; connect-src 'self'`,
  text: closed,
  icon: closed,
  asset: closed,
};

async function readManifest(): Promise<ReadonlyMap<string, SiteFile>> {
  const files = JSON.parse(await readFile(new URL('manifest.json', folder), 'utf8')) as readonly SiteFile[];
  return new Map(files.map((file) => [file.path, file]));
}

function read(name: string): Promise<Buffer> {
  const known = contents.get(name);
  if (known !== undefined) return known;
  const reading = kept(readFile(new URL(name, folder)), () => contents.delete(name));
  contents.set(name, reading);
  return reading;
}

/** Forgets a failed read, so that the next request tries again. */
function kept<T>(reading: Promise<T>, forget: () => void): Promise<T> {
  reading.catch(forget);
  return reading;
}
