// Builds the manifests of a folder as `kubectl kustomize` does, for the few features that ours use; any other is an error. The
// names of generated ConfigMaps stay as they are written, without the digest of their content.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

export type Tree = Readonly<Record<string, unknown>>;

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

interface Kustomization {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly resources: readonly string[];
  readonly images?: readonly { readonly name: string; readonly newName?: string; readonly newTag?: string }[];
  readonly configMapGenerator?: readonly {
    readonly name: string;
    readonly behavior?: string;
    readonly literals: readonly string[];
  }[];
}

const known = ['apiVersion', 'kind', 'namespace', 'resources', 'images', 'configMapGenerator'];

/** The documents of a file; one that repeats a key is refused. */
function readDocuments(file: string): readonly unknown[] {
  return parseAllDocuments(readFileSync(file, 'utf8')).map((document) => {
    const [fault] = [...document.errors, ...document.warnings];
    if (fault !== undefined) throw fault;
    return document.toJS() as unknown;
  });
}

export function buildKustomization(folder: string): readonly Manifest[] {
  const kustomization = readDocuments(join(folder, 'kustomization.yaml'))[0] as Kustomization;
  const unknown = Object.keys(kustomization).filter((key) => !known.includes(key));
  if (unknown.length > 0) throw new Error(`${folder} uses ${unknown.join()}, which is not built here.`);
  const read = kustomization.resources.flatMap((name) =>
    name.endsWith('.yaml') ? (readDocuments(join(folder, name)) as Manifest[]) : buildKustomization(join(folder, name)),
  );
  return withConfigMaps(read, kustomization)
    .map((manifest) => withImages(manifest, kustomization) as Manifest)
    .map((manifest) => withNamespace(manifest, kustomization));
}

function withConfigMaps(manifests: readonly Manifest[], { configMapGenerator = [] }: Kustomization): Manifest[] {
  const built = [...manifests];
  for (const { name, behavior = 'create', literals } of configMapGenerator) {
    const index = built.findIndex(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === name);
    if ((behavior === 'create') !== (index === -1)) throw new Error(`The ConfigMap ${name}: ${behavior}.`);
    const before = built[index] as { readonly data?: Tree } | undefined;
    const data = { ...before?.data, ...Object.fromEntries(literals.map((line) => halves(line, '='))) };
    built.splice(index === -1 ? built.length : index, 1, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name },
      ...{ data },
    });
  }
  return built;
}

function halves(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

/** Wherever a member is called `image`. Its tag follows the last colon after the last slash. */
function withImages(value: unknown, kustomization: Kustomization): unknown {
  if (Array.isArray(value)) return value.map((each) => withImages(each, kustomization));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => {
    if (key !== 'image' || typeof each !== 'string') return [key, withImages(each, kustomization)];
    const [name, tag] = halves(each, ':');
    const wanted = kustomization.images?.find((image) => image.name === name);
    const newTag = wanted?.newTag ?? tag;
    return [key, `${wanted?.newName ?? name}${newTag === '' ? '' : `:${newTag}`}`];
  });
  return Object.fromEntries(entries) as unknown;
}

function withNamespace(manifest: Manifest, { namespace }: Kustomization): Manifest {
  if (namespace === undefined || manifest.kind === 'Namespace') return manifest;
  return { ...manifest, metadata: { ...manifest.metadata, namespace } };
}
