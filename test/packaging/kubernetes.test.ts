// The manifests of deploy/kubernetes fit the program: its release, ports, paths, settings and times. Whether Kubernetes would
// take them is checked by `npm run manifests`.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bounds } from '../../src/base/limits.ts';
import { readConfig, release } from '../../src/config.ts';
import { createFolder, createStorage, runOrrery } from '../support/cli.ts';
import { buildKustomization, type Manifest, type Tree } from '../support/packaging/kustomization.ts';
import { root } from '../support/repository.ts';
import { startService, type TestService } from '../support/service.ts';

const place = join(root, 'deploy/kubernetes');
const built = buildKustomization(join(place, 'example'));
const pods = [podOf('Deployment', 'spec'), podOf('CronJob', 'spec', 'jobTemplate', 'spec')];
const [server, backup] = pods as [Pod, Pod];
let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

interface Pod {
  readonly labels: Tree;
  readonly spec: Tree;
  readonly container: Tree;
}

function find(kind: string, name?: string): Manifest {
  const found = built.find((each) => each.kind === kind && (name === undefined || each.metadata.name === name));
  if (found === undefined) throw new Error(`There is no ${kind} ${name ?? ''}.`);
  return found;
}

/** The value at the place in a manifest; undefined where there is nothing. */
function at(from: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Readonly<Record<string | number, unknown>>)?.[key], from);
}

function treesAt(from: unknown, ...path: readonly (string | number)[]): readonly Tree[] {
  return at(from, ...path) as readonly Tree[];
}

function podOf(kind: string, ...path: readonly string[]): Pod {
  const template = at(find(kind), ...path, 'template');
  const containers = treesAt(template, 'spec', 'containers');
  expect(containers).toHaveLength(1);
  const [container = {}] = containers;
  return { labels: at(template, 'metadata', 'labels') as Tree, spec: at(template, 'spec') as Tree, container };
}

/** Every value of the members that are called so, anywhere in the manifests. */
function valuesOf(name: string, from: unknown = built): readonly unknown[] {
  if (typeof from !== 'object' || from === null) return [];
  const own = Object.entries(from).flatMap(([key, value]) => (key === name ? [value as unknown] : []));
  return [...own, ...Object.values(from).flatMap((value) => valuesOf(name, value))];
}

const seconds = (probe: string, ...names: readonly string[]) =>
  names.map((name) => Number(at(server.container, probe, name))).reduce((product, each) => product * each, 1);

test('every file is part of the example', async () => {
  const texts = await Promise.all(
    ['base', 'cloudnative-pg', 'example'].map(async (folder) => {
      const text = readFileSync(join(place, folder, 'kustomization.yaml'), 'utf8');
      const files = (await readdir(join(place, folder))).filter((name) => name !== 'kustomization.yaml');
      return files.filter((name) => !text.includes(`  - ${name}\n`));
    }),
  );
  expect(texts.flat()).toEqual([]);
});

test('every container runs the image of this release, from the place that the example names', () => {
  expect(valuesOf('image')).toEqual(pods.map(() => `registry.example.com/orrery:${release}`));
});

test('the port is the one that the image serves', () => {
  const port = readConfig({}, {}).port;
  expect(readFileSync(join(root, 'Dockerfile'), 'utf8')).toContain(`"--port", "${port}"`);
  expect(at(server.container, 'ports')).toEqual([{ name: 'http', containerPort: port }]);
  expect(at(find('Deployment'), 'spec', 'template', 'metadata', 'annotations', 'prometheus.io/port')).toBe(`${port}`);
  expect(at(find('Service'), 'spec', 'ports', 0, 'targetPort')).toBe('http');
  expect(at(find('NetworkPolicy', 'orrery'), 'spec', 'ingress')).toEqual([{ ports: [{ port: 'http' }] }]);
  expect(valuesOf('httpGet').map((each) => at(each, 'port'))).toEqual(['http', 'http', 'http']);
});

test('the probes and the metrics are there, each probe asks for the right thing, and not more often than is allowed', async () => {
  expect(at(server.container, 'startupProbe', 'httpGet', 'path')).toBe('/healthz');
  expect(at(server.container, 'livenessProbe', 'httpGet', 'path')).toBe('/healthz');
  expect(at(server.container, 'readinessProbe', 'httpGet', 'path')).toBe('/readyz');
  const scraped = at(find('Deployment'), 'spec', 'template', 'metadata', 'annotations', 'prometheus.io/path');
  for (const path of ['/healthz', '/readyz', String(scraped)]) {
    expect((await fetch(`${service.url}${path}`)).status, path).toBe(200);
  }
  // A /readyz that waits for a silent database answers within a second, and five in a second are free.
  expect(seconds('readinessProbe', 'timeoutSeconds')).toBeGreaterThan(1);
  expect(seconds('readinessProbe', 'periodSeconds')).toBeGreaterThanOrEqual(1);
});

test('what the service serves can be reached from outside, and its probes and metrics cannot', async () => {
  const rules = treesAt(find('Ingress'), 'spec', 'rules');
  expect(rules.map(({ host }) => `https://${String(host)}`)).toEqual(valuesOf('ORRERY_PUBLIC_URL'));
  expect(at(find('Ingress'), 'spec', 'tls', 0, 'hosts')).toEqual(rules.map(({ host }) => host));
  const paths = treesAt(rules[0], 'http', 'paths');
  const leadsTo = (entry: Tree, path: string) =>
    path === entry['path'] || (entry['pathType'] === 'Prefix' && path.startsWith(`${String(entry['path'])}/`));
  const passes = (path: string) => paths.some((entry) => leadsTo(entry, path));
  for (const path of ['/healthz', '/readyz', '/metrics']) expect(passes(path), path).toBe(false);
  const site = JSON.parse(readFileSync(join(root, 'dist/site/manifest.json'), 'utf8')) as readonly { path: string }[];
  // The page for paths that do not exist has no address of its own.
  const pages = site.map(({ path }) => path).filter((path) => path.startsWith('/'));
  expect(pages.length).toBeGreaterThan(20);
  const served = ['/', '/auth/ways', '/rest/v1/self/', ...pages];
  expect(served.filter((path) => !passes(path))).toEqual([]);
  expect(paths.filter((entry) => !served.some((path) => leadsTo(entry, path)))).toEqual([]);
  for (const name of valuesOf('service', rules)) expect(name).toEqual({ name: 'orrery', port: { name: 'http' } });
});

test('the settings are those of the program, and the database is reached by TLS that checks the server', () => {
  const settings = at(find('ConfigMap'), 'data') as Readonly<Record<string, string>>;
  for (const { container } of pods) {
    expect(container['envFrom']).toEqual([{ configMapRef: { name: 'orrery' } }]);
    expect(container['env']).toEqual([
      { name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: 'orrery-database-app', key: 'uri' } } },
    ]);
  }
  // As CloudNativePG writes it.
  const address = 'postgresql://orrery:secret@orrery-database-rw.orrery:5432/orrery';
  const { place: database, publicUrl, settings: read } = readConfig({}, { ...settings, DATABASE_URL: address });
  const file = encodeURIComponent(String(settings['PGSSLROOTCERT']));
  expect(database).toMatchObject({ url: `${address}?sslmode=verify-full&sslrootcert=${file}` });
  expect(publicUrl).toBe(settings['ORRERY_PUBLIC_URL']);
  const known = [...read.map(({ variable }) => variable as string), 'PGSSLMODE', 'PGSSLROOTCERT'];
  expect(Object.keys(settings).filter((name) => !known.includes(name))).toEqual([]);
});

test('variables that Kubernetes makes of the Service would be taken for settings, so there are none', () => {
  expect(() => readConfig({}, { ORRERY_PORT: 'tcp://10.0.0.1:80' })).toThrow('ORRERY_PORT');
  expect(() => readConfig({}, { ORRERY_SERVICE_HOST: '10.0.0.1' })).toThrow('ORRERY_SERVICE_HOST');
  for (const { spec } of pods) expect(spec['enableServiceLinks']).toBe(false);
});

test('a pod has the time to finish its requests, and to wait until no new ones are sent to it', () => {
  const [word, pause] = at(server.container, 'lifecycle', 'preStop', 'exec', 'command') as [string, string];
  expect(word).toBe('sleep');
  expect(Number(server.spec['terminationGracePeriodSeconds']) * 1_000).toBeGreaterThanOrEqual(
    Number(pause) * 1_000 + bounds.http.drainTimeoutMs + bounds.store.poolCloseMs + 5_000,
  );
});

test('a long migration is neither killed nor reported as a failure', () => {
  const startSeconds = seconds('startupProbe', 'periodSeconds', 'failureThreshold');
  // The other replica waits a minute for it, then exits and is started again.
  expect(startSeconds).toBeGreaterThan(60);
  expect(Number(at(find('Deployment'), 'spec', 'progressDeadlineSeconds'))).toBeGreaterThan(startSeconds);
});

test('one replica serves while the other one is replaced, moved or lost', () => {
  const { spec } = find('Deployment') as Manifest & { readonly spec: Tree };
  expect(spec).toMatchObject({ replicas: 2, strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } });
  expect(at(find('PodDisruptionBudget'), 'spec', 'maxUnavailable')).toBe(1);
  expect(server.spec['topologySpreadConstraints']).toMatchObject([
    {
      topologyKey: 'kubernetes.io/hostname',
      maxSkew: 1,
      whenUnsatisfiable: 'DoNotSchedule',
      nodeTaintsPolicy: 'Honor',
    },
  ]);
});

test('whoever selects the servers selects both of them, and no backup', () => {
  const selectors = [
    at(find('Deployment'), 'spec', 'selector', 'matchLabels'),
    at(find('Service'), 'spec', 'selector'),
    at(find('PodDisruptionBudget'), 'spec', 'selector', 'matchLabels'),
    at(server.spec, 'topologySpreadConstraints', 0, 'labelSelector', 'matchLabels'),
  ];
  for (const selector of selectors) expect(selector).toEqual(server.labels);
  expect(backup.labels).not.toEqual(server.labels);
  // The network policy holds for both.
  const held = at(find('NetworkPolicy', 'orrery'), 'spec', 'podSelector', 'matchLabels') as Tree;
  for (const { labels } of pods) expect(labels).toMatchObject(held);
});

test('every pod keeps to the strictest profile of Kubernetes, as the user that the image has', () => {
  const [, uid] = /useradd .*--uid ([0-9]+) /.exec(readFileSync(join(root, 'Dockerfile'), 'utf8')) ?? [];
  const profile = at(find('Namespace'), 'metadata', 'labels', 'pod-security.kubernetes.io/enforce');
  expect(profile).toBe('restricted');
  for (const { spec, container } of pods) {
    expect(spec).toMatchObject({ serviceAccountName: 'orrery', automountServiceAccountToken: false });
    expect(spec['securityContext']).toMatchObject({
      ...{ runAsNonRoot: true, runAsUser: Number(uid) },
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container['securityContext']).toEqual({
      ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
      capabilities: { drop: ['ALL'] },
    });
  }
});

test('a container may use more memory than the process does', () => {
  const [, mebibytes] = /^([0-9]+)Gi$/.exec(String(at(server.container, 'resources', 'limits', 'memory'))) ?? [];
  expect(Number(mebibytes) * 2 ** 30).toBeGreaterThan(2 * bounds.cli.processBytes);
});

test('CloudNativePG makes the Secrets that the pods read, and no pod sees the key of its authority', () => {
  const { metadata, spec } = find('Cluster') as Manifest & { readonly spec: Tree };
  for (const { spec: pod, container } of pods) {
    const volume = treesAt(pod, 'volumes').find(({ name }) => name === 'certificates');
    expect(volume?.['secret']).toEqual({
      secretName: `${metadata.name}-ca`,
      items: [{ key: 'ca.crt', path: 'ca.crt' }],
    });
    const mounted = treesAt(container, 'volumeMounts').find(({ name }) => name === 'certificates');
    expect(at(find('ConfigMap'), 'data', 'PGSSLROOTCERT')).toBe(`${String(mounted?.['mountPath'])}/ca.crt`);
    expect(at(container, 'env', 0, 'valueFrom', 'secretKeyRef', 'name')).toBe(`${metadata.name}-app`);
  }
  expect(at(find('NetworkPolicy', 'orrery-database'), 'spec', 'podSelector')).toEqual({
    matchLabels: { 'cnpg.io/cluster': metadata.name },
  });
  expect(at(spec, 'postgresql', 'synchronous')).toMatchObject({ number: 1, dataDurability: 'required' });
  expect(Number(spec['instances'])).toBeGreaterThanOrEqual(3);
});

test('the database has the settings and the grant that the guide advises', () => {
  const guide = readFileSync(join(root, 'docs/operate.md'), 'utf8');
  const { parameters } = at(find('Cluster'), 'spec', 'postgresql') as { readonly parameters: Tree };
  for (const [name, value] of Object.entries(parameters)) expect(guide).toContain(`${name} = ${String(value)}\n`);
  const grants = at(find('Cluster'), 'spec', 'bootstrap', 'initdb', 'postInitApplicationSQL') as readonly string[];
  for (const grant of grants) expect(guide).toContain(`${grant};\n`);
});

test('the backup of the night can be restored, and those of two weeks ago are removed', async () => {
  const storage = await createStorage();
  const folder = await createFolder();
  try {
    await runOrrery(['org', 'create', 'Acme', ...storage.args]);
    for (const [name, days] of [
      ['old.backup', 15],
      ['recent.backup', 13],
      ['other', 100],
    ] as const) {
      await writeFile(join(folder, name), '');
      const date = new Date(Date.now() - days * 86_400_000);
      await utimes(join(folder, name), date, date);
    }
    const [shell = '', ...words] = at(backup.container, 'command') as readonly string[];
    const env = { PATH: process.env['PATH'], ...storage.env };
    const script = words.map((word) => word.replaceAll('/backups', folder));
    await promisify(execFile)(shell, script, { cwd: root, env });
    const names = (await readdir(folder)).toSorted();
    expect(names).toEqual([
      expect.stringMatching(/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{6}\.backup$/),
      'other',
      'recent.backup',
    ]);
    const checked = await runOrrery(['db', 'restore', join(folder, names[0] ?? ''), '--check']);
    expect(checked.status).toBe(0);
  } finally {
    await storage.remove();
    await rm(folder, { recursive: true });
  }
});
