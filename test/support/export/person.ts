// Exports a person in this process, as the command does.
import { type PersonRequest, writePerson } from '../../../src/cli/export/person.ts';
import { withCommandEngine } from '../../../src/engine/process/command-engine.ts';
import type { Database } from '../../../src/store/database.ts';

/** The document as text. */
export async function documentOf(database: Database, request: PersonRequest): Promise<string> {
  let document = '';
  await withCommandEngine(database, (engine) =>
    writePerson(engine, engine.clock, request, async (text) => {
      document += text;
    }),
  );
  return document;
}
