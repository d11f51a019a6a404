// Runs a hook of the test around every statement that an engine runs outside transactions, to count or to delay it.
import type { Sql } from '../../src/base/sql.ts';
import type { BriefDatabase, Database, Transaction } from '../../src/store/database.ts';

type Hook = <T>(text: string, run: () => Promise<T>) => Promise<T>;

export function aroundStatements(database: Database, hook: Hook): Database {
  const hooked = <T extends Transaction>(inner: T): T => ({
    ...inner,
    query: <Row extends object>(statement: Sql) => hook(statement.text, () => inner.query<Row>(statement)),
  });
  const { brief, urgent, central } = database;
  const queryTogether: BriefDatabase['queryTogether'] = (statements, bytesEach) =>
    hook(statements.map(({ text }) => text).join(';\n'), () => brief.queryTogether<never>(statements, bytesEach));
  return {
    ...hooked(database),
    brief: { ...hooked(brief), queryTogether },
    urgent: hooked(urgent),
    central: hooked(central),
  };
}
