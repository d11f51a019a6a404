// The embedded database: a PostgreSQL server of our own in a data folder, shared by every process that opens the same
// folder. This is the entrance; the other files find, create, start and stop the server.
import { Failure } from '../../base/failure.ts';
import { removeAbandonedPartials } from './atomic-folder.ts';
import { complaintIn } from './child.ts';
import { checkCluster, clusterExists, createCluster } from './cluster.ts';
import { type DataFolder, prepareDataFolder, toFailure } from './data-folder.ts';
import { bringUp, takeDownIfUnused } from './postmaster.ts';
import { currentPlatform, locatePackage, packageVersion, probePrograms } from './programs.ts';
import { type Connection, connectionOf, type Ready } from './server-status.ts';
import { openWatch, usualWatch, type Watch, type WatchOptions } from './watch.ts';

export interface EmbeddedServer {
  /** Settings for pg. The host is the folder of the socket. */
  readonly connection: Connection;
  /** Whether this opening created the database, started a server on it, or found a running one. */
  readonly origin: 'created' | 'started' | 'adopted';
  readonly dataDir: string;
  /** Makes sure that a server answers, and restarts it if it died. Concurrent calls share one attempt. */
  ensureRunning(): Promise<void>;
  /** Stops the server, unless another process is still connected. End the connections of this process first. */
  close(): Promise<void>;
}

export interface ProgramsReport {
  readonly platform: string;
  /** The version of the package; undefined where there is none for the platform or it is not installed. */
  readonly version: string | undefined;
  /** The version that the server program prints, such as `postgres (PostgreSQL) 18.4`. */
  readonly program: string | undefined;
  /** Why there are no programs, or why they do not run from their package. */
  readonly problem: string | undefined;
}

export function openEmbedded(dataDir: string): Promise<EmbeddedServer> {
  return openEmbeddedWith(() => locatePackage(currentPlatform), dataDir);
}

/** As `openEmbedded`, with the programs from a given place, and another watch over this process. */
export async function openEmbeddedWith(
  locate: () => string,
  dataDir: string,
  watch: WatchOptions = usualWatch,
): Promise<EmbeddedServer> {
  const packageFolder = locate();
  const folder = await prepareDataFolder(dataDir);
  try {
    await removeAbandonedPartials(folder.path);
    const made = (await clusterExists(folder)) ? 'found' : await createCluster(folder, packageFolder);
    await checkCluster(folder);
    const { origin, answeredAt } = await bringUp(folder, packageFolder);
    const opened = { origin: made === 'made' ? 'created' : origin, answeredAt } as const;
    return new Server(folder, packageFolder, opened, openWatch(folder, watch));
  } catch (error) {
    throw toFailure(folder.path, error);
  }
}

/** The programs, for doctor. Changes nothing: missing links are made when the database is first opened. */
export async function inspectPrograms(): Promise<ProgramsReport> {
  const platform = currentPlatform;
  try {
    const packageFolder = locatePackage(platform);
    const version = await packageVersion(packageFolder);
    const ending = await probePrograms(packageFolder, undefined);
    return ending.succeeded
      ? { platform, version, program: ending.output, problem: undefined }
      : { platform, version, program: undefined, problem: complaintIn(ending.output) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { platform, version: undefined, program: undefined, problem };
  }
}

interface Opened extends Ready {
  readonly origin: EmbeddedServer['origin'];
}

class Server implements EmbeddedServer {
  readonly connection: Connection;
  readonly origin: EmbeddedServer['origin'];
  readonly dataDir: string;
  readonly #folder: DataFolder;
  readonly #packageFolder: string;
  readonly #watch: Watch;
  /** When the server first answered, if it was adopted. */
  readonly #since: string | undefined;
  #attempt: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(folder: DataFolder, packageFolder: string, { origin, answeredAt }: Opened, watch: Watch) {
    this.connection = connectionOf(folder);
    this.origin = origin;
    this.#since = answeredAt;
    this.dataDir = folder.path;
    this.#folder = folder;
    this.#packageFolder = packageFolder;
    this.#watch = watch;
  }

  ensureRunning(): Promise<void> {
    if (this.#closing !== undefined) {
      // A late request must not restart a server that is being stopped.
      const sentence = 'The embedded database has been closed.';
      return Promise.reject(new Failure('database_unreachable', sentence, 'Start Orrery again.'));
    }
    this.#attempt ??= this.#bringUpAgain().finally(() => {
      this.#attempt = undefined;
    });
    return this.#attempt;
  }

  close(): Promise<void> {
    this.#closing ??= this.#takeDown();
    return this.#closing;
  }

  async #bringUpAgain(): Promise<void> {
    try {
      await bringUp(this.#folder, this.#packageFolder);
    } catch (error) {
      throw toFailure(this.#folder.path, error);
    }
  }

  async #takeDown(): Promise<void> {
    // A server that is still starting cannot say who uses it.
    await this.#attempt?.catch(() => undefined);
    try {
      await takeDownIfUnused(this.#folder, this.#since);
    } finally {
      await this.#watch.end();
    }
  }
}
