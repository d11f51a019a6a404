// The manifests of deploy/kubernetes fit the schemas of Kubernetes and CloudNativePG, down to each field, and are built by
// kustomize as our tests build them.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { buildKustomization, type Manifest } from '../../test/support/packaging/kustomization.ts';
import { root } from '../../test/support/repository.ts';
import { faultsIn } from './schemas.ts';

const place = join(root, 'deploy/kubernetes');
const folders = readdirSync(place);

test.each(folders)('%s has only fields and values that the schemas know', async (name) => {
  const manifests = buildKustomization(join(place, name));
  expect(manifests.length).toBeGreaterThan(0);
  expect(await faultsIn(manifests)).toEqual([]);
});

/** Each changes one place of a manifest: its kind, what is there, what is put there, and what must be said about it. */
const mistakes: readonly (readonly [string, string, string, RegExp])[] = [
  ['Deployment', '"periodSeconds":2', '"periodSecond":2', /periodSecond\W+ does not exist/],
  ['Deployment', '"replicas":2', '"replicas":"two"', /spec\/replicas must be integer/],
  ['Deployment', '"runAsNonRoot":true', '"runAsNonroot":true', /runAsNonroot\W+ does not exist/],
  ['CronJob', '"schedule":', '"cron":', /must have required property schedule/],
  ['NetworkPolicy', '"egress":', '"outgoing":', /outgoing\W+ does not exist/],
  ['Cluster', '"failoverQuorum":true', '"failoverQuorums":true', /failoverQuorums\W+ does not exist/],
  ['Cluster', '"method":"any"', '"method":"some"', /synchronous\/method must be/],
  ['Ingress', '"pathType":"Exact"', '"pathTypes":"Exact"', /pathTypes\W+ does not exist/],
  ['Service', '"kind":"Service"', '"kind":"Servant"', /^v1 has no Servant\.$/m],
];

test('mistakes in fields, values and kinds are found', async () => {
  const manifests = buildKustomization(join(place, 'example'));
  const spoiled = mistakes.map(([kind, from, to]) => {
    const text = JSON.stringify(manifests.find((each) => each.kind === kind));
    expect(text).toContain(from);
    return JSON.parse(text.replace(from, to)) as Manifest;
  });
  const faults = (await faultsIn(spoiled)).join('\n');
  for (const [, , , said] of mistakes) expect(faults).toMatch(said);
});

const kubectl = findKubectl();
if (kubectl === undefined) process.stderr.write('There is no kubectl here, so kustomize itself was not asked.\n');

function findKubectl(): string | undefined {
  try {
    return execFileSync('/bin/sh', ['-c', 'command -v kubectl'], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

test.skipIf(kubectl === undefined).each(folders)('%s is built by kustomize as by our tests', (name) => {
  const text = execFileSync(kubectl ?? '', ['kustomize', join(place, name)], { encoding: 'utf8' });
  // A generated ConfigMap has the digest of its content behind its name, wherever it is named.
  const [, digest = ''] = /kind: ConfigMap\nmetadata:\n {2}name: orrery(-\w+)/.exec(text) ?? [];
  const built = parseAllDocuments(text.replaceAll(digest, '')).map((document) => document.toJS() as Manifest);
  const inOrder = (manifests: readonly Manifest[]) =>
    manifests.toSorted((one, other) => keyOf(one).localeCompare(keyOf(other)));
  expect(inOrder(built)).toEqual(inOrder(buildKustomization(join(place, name))));
});

function keyOf({ kind, metadata }: Manifest): string {
  return `${kind}/${metadata.name}`;
}
