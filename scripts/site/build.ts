// Builds the documentation that the service serves: the reference, the guide and their assets, each with its
// compressed forms, and a manifest that lists them for the service. The name of an asset contains the digest of its
// content, so that browsers can cache it forever.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { SiteFile } from '../../src/http/pages/documents.ts';
import type { AssetPaths } from './frame.ts';
import { type GuidePage, pageNames, renderPage } from './guide.ts';
import { SitePages } from './pages.ts';
import { buildReference, pagesOf, type Reference } from './reference/reference.ts';
import { searchIndex } from './search-index.ts';
import { readStyle } from './style.ts';

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
  txt: 'text/plain; charset=utf-8',
};

/** A file of the console as its own build has made it; the path is below `/console/`. */
export interface ConsoleFile {
  readonly path: string;
  readonly content: string | Uint8Array;
}

/** What other builds have made of the sources for browsers. */
interface Built {
  /** The script of the documentation. */
  readonly script: string;
  readonly console: readonly ConsoleFile[];
}

type Add = (path: string, file: string, kind: SiteFile['kind'], content: string | Buffer) => Promise<void>;

/** `root` is the repository, `target` the output folder. */
export async function buildSite(root: string, target: string, built: Built): Promise<void> {
  const guide = await readGuide(root);
  const reference = buildReference();
  const files: SiteFile[] = [];
  const add: Add = async (path, file, kind, content) => {
    files.push(await writeForms(target, { path, file, kind }, Buffer.from(content)));
  };
  const assets = new Map<keyof AssetPaths, Buffer>([
    ['icon.svg', await readFile(join(root, 'console/icon.svg'))],
    ['site.css', Buffer.from(await readStyle(root))],
    ['site.js', Buffer.from(built.script)],
    ['search.json', Buffer.from(JSON.stringify(searchIndex(guide, reference)))],
  ]);
  const paths = Object.fromEntries(
    [...assets].map(([name, content]) => [name, assetPath(name, content)]),
  ) as AssetPaths;
  await addPages(add, guide, reference, paths);
  for (const { path, content } of built.console) {
    // The names of its assets contain their digests too.
    if (path === 'index.html') await add('/console', 'console/index.html', 'console', Buffer.from(content));
    else {
      const kind = /\bworker-[^/]*\.js$/.test(path) ? 'worker' : 'asset';
      await add(`/console/${path}`, `console/${path}`, kind, Buffer.from(content));
    }
  }
  for (const [name, content] of assets) await add(paths[name], paths[name].slice(1), 'asset', content);
  for (const [name, content] of await readPictures(root)) {
    const path = assetPath(name, content);
    await add(path, path.slice(1), 'asset', content);
  }
  await add('/favicon.ico', 'favicon.ico', 'icon', await readFile(join(root, 'scripts/site/favicon.ico')));
  await writeFile(join(target, 'manifest.json'), JSON.stringify(files));
}

async function addPages(add: Add, guide: readonly GuidePage[], reference: Reference, paths: AssetPaths): Promise<void> {
  const pages = new SitePages(guide, reference, paths);
  for (const page of pagesOf(reference)) {
    const path = page.path.replace(/\/$/, '');
    await add(path, `${path.slice(1)}/index.html`, 'page', pages.referenceHtml(page));
  }
  for (const page of guide) {
    await add(`/docs/${page.name}`, `docs/${page.name}.html`, 'page', pages.guideHtml(page));
    await add(`/docs/${page.name}.md`, `docs/${page.name}.md`, 'text', page.markdown);
  }
  await add('(missing)', 'missing.html', 'missing', pages.missingHtml());
  await add('/llms.txt', 'llms.txt', 'text', overview(guide));
}

export async function readGuide(root: string): Promise<readonly GuidePage[]> {
  const pictures = await readPictures(root);
  const paths = new Map([...pictures].map(([name, content]) => [name, assetPath(name, content)]));
  return Promise.all(
    pageNames.map(async (name) => renderPage(name, await readFile(join(root, 'docs', `${name}.md`), 'utf8'), paths)),
  );
}

/** The pictures of the guide, by the names of their files. */
async function readPictures(root: string): Promise<ReadonlyMap<string, Buffer>> {
  const names = (await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.png')).toSorted();
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(root, 'docs', name))] as const)),
  );
}

function assetPath(name: string, content: Buffer): string {
  return `/docs/assets/${name.replace(/(?=\.[a-z]+$)/, `.${digest(content)}`)}`;
}

/** Writes the file, and its compressed forms where they are clearly smaller. */
async function writeForms(
  target: string,
  { path, file, kind }: Pick<SiteFile, 'path' | 'file' | 'kind'>,
  content: Buffer,
): Promise<SiteFile> {
  const place = join(target, file);
  await mkdir(dirname(place), { recursive: true });
  await writeFile(place, content);
  // The highest quality would take five seconds to save another twelfth.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  const forms = [
    ['br', await promisify(brotliCompress)(content, { params })],
    ['gzip', await promisify(gzip)(content, { level: 9 })],
  ] as const;
  // What is compressed already, as a picture is, is not worth another file.
  const smaller = forms.filter(([, form]) => form.length < content.length * 0.95);
  for (const [coding, form] of smaller) await writeFile(`${place}.${coding}`, form);
  const type = types[file.split('.').at(-1) ?? ''];
  if (type === undefined) throw new Error(`The media type of ${file} is unknown. Add its extension to "types".`);
  return { path, file, kind, type, digest: digest(content), codings: smaller.map(([coding]) => coding) };
}

function digest(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}

/** The list of documents for language models (llms.txt). */
function overview(pages: readonly GuidePage[]): string {
  const rows = pages.map(({ name, title, summary }) => `- [${title}](/docs/${name}.md): ${summary}`);
  return `# Orrery

> A self-hosted CRM back end: one small, regular REST interface to every object type of an org.

## Guide

${rows.join('\n')}

## Reference

- [OpenAPI document](/rest/v1/openapi.json): every operation with its parameters, bodies, answers and errors.
`;
}
