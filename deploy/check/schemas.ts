// What the API of a cluster would refuse: the types of Kubernetes and CloudNativePG find fields that do not exist, which the
// compiler reports in literals alone, and their validators find wrong values.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Manifest } from '../../test/support/packaging/kustomization.ts';
import { root } from '../../test/support/repository.ts';

const folder = join(root, 'deploy/check');
const compilerOptions = {
  ...{ target: 'es2023', module: 'nodenext', types: [], noEmit: true, strict: true },
  ...{ exactOptionalPropertyTypes: true, skipLibCheck: true },
};

/** The lines that say what is wrong; none if everything is well. */
export async function faultsIn(manifests: readonly Manifest[]): Promise<readonly string[]> {
  const invalid = await Promise.all(manifests.map((manifest) => invalidValues(manifest)));
  return [...invalid.flat(), ...(await unknownFields(manifests))];
}

function packageOf({ apiVersion }: Manifest): string {
  const prefix = apiVersion.includes('cnpg.io') ? '@kubernetes-models/cloudnative-pg' : 'kubernetes-models';
  return `${prefix}/${apiVersion}`;
}

type Model = new (data: Manifest) => { validate(): void };

async function invalidValues(manifest: Manifest): Promise<readonly string[]> {
  const models = (await import(import.meta.resolve(packageOf(manifest)))) as Readonly<Record<string, Model>>;
  const Kind = models[manifest.kind];
  if (Kind === undefined) return [`${manifest.apiVersion} has no ${manifest.kind}.`];
  try {
    new Kind(manifest).validate();
    return [];
  } catch (error) {
    return [`${manifest.kind} ${manifest.metadata.name}: ${(error as Error).message}`];
  }
}

/** The compiler runs in this folder, because it looks for the packages there. */
async function unknownFields(manifests: readonly Manifest[]): Promise<readonly string[]> {
  const own = await mkdtemp(join(folder, 'generated-'));
  try {
    const statements = manifests.map((manifest, index) => {
      const name = `I${manifest.kind}`;
      return `import type { ${name} as Type${index} } from '${packageOf(manifest)}';
export const value${index}: Type${index} = ${JSON.stringify(manifest, undefined, 2)};\n`;
    });
    await writeFile(join(own, 'manifests.ts'), statements.join(''));
    await writeFile(join(own, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['manifests.ts'] }));
    await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['--project', own, '--pretty', 'false']);
    return [];
  } catch (error) {
    const { stdout } = error as { readonly stdout?: string };
    if (stdout === undefined || stdout === '') throw error;
    return stdout.trim().split('\n');
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}
