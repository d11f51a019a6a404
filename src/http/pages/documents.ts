// The documentation, as the build made it: reference page, guide, what both load. A manifest tells what there is, so
// that nothing of a request ever becomes the name of a file, and each form of a file is read once and kept: as much as
// the build made, and no more.
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import type { Reply } from '../respond.ts';
import { type Coding, chooseCoding, isKnown } from './content-coding.ts';

/** A file of the documentation, as the manifest has it. */
export interface SiteFile {
  /** Where it is served, without a slash at the end. */
  readonly path: string;
  /** Where it is in the folder; a compressed form has the name of its coding behind it. */
  readonly file: string;
  readonly kind: 'reference' | 'page' | 'text' | 'asset';
  readonly type: string;
  readonly digest: string;
  readonly codings: readonly Coding[];
}

/** In the build the folder is beside the program; the tests run the sources, and take what was built. */
const folder = new URL(import.meta.url.endsWith('.ts') ? '../../../dist/site/' : './site/', import.meta.url);

let manifest: Promise<ReadonlyMap<string, SiteFile>> | undefined;
const contents = new Map<string, Promise<Buffer>>();

export async function findDocument(path: string): Promise<SiteFile | undefined> {
  manifest ??= kept(readManifest(), () => {
    manifest = undefined;
  });
  return (await manifest).get(path);
}

export async function documentReply(document: SiteFile, request: IncomingMessage): Promise<Reply> {
  const coding = chooseCoding(request.headers['accept-encoding'], document.codings);
  const tag = `"${document.digest}${coding === undefined ? '' : `-${coding}`}"`;
  const headers: Record<string, string> = {
    'Content-Type': document.type,
    // What pages load has its digest in its name; all else is asked for again, which costs a 304.
    'Cache-Control': document.kind === 'asset' ? 'public, max-age=31536000, immutable' : 'no-cache',
    ETag: tag,
    Vary: 'Accept-Encoding, Origin',
    'Referrer-Policy': 'no-referrer',
    'Content-Security-Policy': policies[document.kind],
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
  };
  if (isKnown(request.headers['if-none-match'], tag)) return { status: 304, headers, body: '' };
  if (coding !== undefined) headers['Content-Encoding'] = coding;
  return {
    status: 200,
    headers,
    body: await read(coding === undefined ? document.file : `${document.file}.${coding}`),
  };
}

const closed = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const readable = `${closed}; style-src 'self'; img-src 'self'`;

/** The reader types a key into the reference: its scripts are ours, and speak with nobody but this service. */
const policies: Readonly<Record<SiteFile['kind'], string>> = {
  reference: `${closed}; style-src 'self'; img-src 'self' data:; script-src 'self'; connect-src 'self'`,
  page: readable,
  text: closed,
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

/** What failed is not kept: the next one who asks tries again. */
function kept<T>(reading: Promise<T>, forget: () => void): Promise<T> {
  reading.catch(forget);
  return reading;
}
