// The commands of a migration, one by one: Citus passes a change of a distributed table on to the workers with the text that it came
// in, and they refuse more than one command at a time. Migrations are our own: each command ends with a semicolon at the end of a
// line, and bodies of functions are between $$.

export function commandsOf(text: string): readonly string[] {
  const commands: string[] = [];
  let command = '';
  let isBody = false;
  for (const line of text.split('\n')) {
    if (!isBody && /^\s*(--.*)?$/.test(line)) continue;
    command += `${line}\n`;
    if (line.split('$$').length % 2 === 0) isBody = !isBody;
    if (isBody || !line.trimEnd().endsWith(';')) continue;
    commands.push(command);
    command = '';
  }
  return command === '' ? commands : [...commands, command];
}
