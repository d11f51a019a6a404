// The code that the house rules hold for. ARCHITECTURE.md and these tests change together.
import { readSources, type SourceFile } from '../sources.ts';

const isTest = ({ path }: SourceFile) => path.endsWith('.test.ts');

export const client = readSources('client').filter((file) => !isTest(file));
/** What the client shares with the program: reading and understanding files, which pages do as well. */
const shared = client.filter(({ path }) => path.startsWith('client/import/'));
/** The program and its demo, without the tests beside them. */
export const program = [...shared, ...[...readSources('src'), ...readSources('demo')].filter((file) => !isTest(file))];
export const tests = readSources('test');
export const testSupport = tests.filter(({ path }) => path.startsWith('test/support/'));
export const everything = ['src', 'demo', 'client', 'test', 'smoke', 'deploy', 'bench', 'scripts'].flatMap((folder) => [
  ...readSources(folder),
]);
