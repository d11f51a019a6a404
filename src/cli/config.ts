// orrery config: every setting with its value and its source.
import type { Command } from './command.ts';
import { table } from './terminal/text.ts';

export const config: Command = {
  name: 'config',
  summary: 'Show every setting, its value and its source',
  example: 'ORRERY_PORT=8080 orrery config',
  run: async (context) => {
    const { settings } = context.config;
    const rows = settings.map((setting) => [
      setting.variable,
      setting.flag ?? '',
      setting.value ?? '(not set)',
      setting.source,
      setting.description,
    ]);
    context.print(settings, table([['VARIABLE', 'FLAG', 'VALUE', 'FROM', 'MEANING'], ...rows]));
  },
};
