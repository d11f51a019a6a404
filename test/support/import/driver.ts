// Runs the import command in this process, on the database of a test's service. Its files are in a folder of the test's
// own.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Failure } from '../../../src/base/failure.ts';
import { runCommand } from '../command.ts';
import type { TestService } from '../service.ts';

export interface ImportOptions {
  readonly match?: string;
  readonly map?: Readonly<Record<string, unknown>>;
  readonly dryRun?: boolean;
  readonly errors?: string;
  readonly mapOut?: string;
  readonly dateFormat?: string;
  readonly decimal?: string;
  readonly country?: string;
  readonly timeZone?: string;
  readonly badCells?: string;
}

export interface ImportEnd {
  readonly result: ImportPrinted | undefined;
  readonly failure: Failure | undefined;
  /** The lines on standard error. */
  readonly told: readonly string[];
}

export interface ImportPrinted {
  readonly job_id: string | null;
  readonly rows: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly refused: number;
  readonly incomplete: number;
  readonly linked: number;
  readonly unlinked: number;
  readonly targets_created: number;
  readonly errors_file: string | null;
  readonly dry_run: boolean;
  readonly resumed_at: number | null;
  readonly columns: readonly { readonly header: string; readonly property: string | null }[];
}

export class ImportFolder {
  readonly path: string;
  #count = 0;

  private constructor(path: string) {
    this.path = path;
  }

  static async make(): Promise<ImportFolder> {
    return new ImportFolder(await mkdtemp(join(tmpdir(), 'orrery-import-')));
  }

  remove(): Promise<void> {
    return rm(this.path, { recursive: true, force: true });
  }

  /** Writes a file under a name that no other has. */
  async write(content: string | Buffer): Promise<string> {
    const path = join(this.path, `file-${++this.#count}.csv`);
    await writeFile(path, content);
    return path;
  }

  async run(
    { databaseUrl }: TestService,
    orgId: number,
    type: string,
    content: string | Buffer,
    options: ImportOptions = {},
  ): Promise<ImportEnd> {
    return this.runFile(databaseUrl, orgId, type, await this.write(content), options);
  }

  async runFile(
    databaseUrl: string,
    orgId: number,
    type: string,
    path: string,
    { map, ...options }: ImportOptions = {},
  ): Promise<ImportEnd> {
    const mapped = map === undefined ? {} : { map: await this.#writeMap(map) };
    const { value, failure, told } = await runCommand(databaseUrl, 'import', path, {
      org: String(orgId),
      type,
      ...mapped,
      ...options,
    });
    return { result: value as ImportPrinted | undefined, failure, told };
  }

  async #writeMap(map: Readonly<Record<string, unknown>>): Promise<string> {
    const path = join(this.path, `map-${++this.#count}.json`);
    await writeFile(path, JSON.stringify(map));
    return path;
  }
}
