// The recommended rules of Spectral and Redocly, without those that are switched off by name, each with its reason.
import { join } from 'node:path';
import { documentFile, here, root, tool } from '../place.mjs';
import { run } from '../processes.mjs';

export async function lint() {
  const severity = ['--fail-severity', 'hint', '--quiet'];
  await run(tool('spectral'), ['lint', documentFile, '--ruleset', join(here, 'spectral.yaml'), ...severity]);
  const config = ['--config', join(root, 'redocly.yaml'), '--lint-config', 'error', '--max-problems', '20'];
  const told = await run(join(root, 'node_modules/.bin/redocly'), [
    'lint',
    documentFile,
    '--format',
    'json',
    ...config,
  ]);
  const { totals } = JSON.parse(told.slice(told.indexOf('{'), told.lastIndexOf('}') + 1));
  // It ends with 0 if there are only warnings.
  if (totals.errors + totals.warnings > 0) throw new Error(told);
  return 'no findings';
}
