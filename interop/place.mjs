// Where things are: this folder, the repository around it, and what is generated here on every run.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const here = fileURLToPath(new URL('.', import.meta.url));
export const root = join(here, '..');
export const generated = join(here, 'generated');
/** The OpenAPI document as the service under test serves it. */
export const documentFile = join(generated, 'openapi.json');

/** The program of a tool that is installed here. */
export function tool(name) {
  return join(here, 'node_modules', '.bin', name);
}
