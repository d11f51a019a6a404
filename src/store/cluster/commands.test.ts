// Migrations are parted into their commands, without losing or cutting any.
import { expect, test } from 'vitest';
import { readMigrations } from '../migrate.ts';
import { commandsOf } from './commands.ts';

test('commands end where their lines end, and not inside of a function', () => {
  const body = 'create function f() returns void language sql as $$\n  select 1; -- not an end;\n  select 2;\n$$;\n';
  expect(commandsOf(`-- Why; so.\ncreate table a (\n  b int);\n\n${body}drop table a`)).toEqual([
    'create table a (\n  b int);\n',
    body,
    'drop table a\n',
  ]);
});

test('every command of every migration begins as one, and ends with its semicolon', async () => {
  const commands = (await readMigrations()).flatMap(({ text }) => commandsOf(text));
  expect(commands.length).toBeGreaterThan(100);
  const begins = /^(create|alter|drop|insert|update|delete|with|select|do|comment|analyze|lock|set|truncate)\b/;
  expect(commands.filter((command) => !begins.test(command) || !command.endsWith(';\n'))).toEqual([]);
});
