// What the replaced tables know and the restored ones do not, in tables of the restore's own: the replaced ones may be distributed over
// a cluster, where no statement reads them and changes others.
import { raw, sql } from '../../base/sql.ts';
import { platformTypes } from '../../schema/roles/platform.ts';
import type { OwnConnection } from '../database.ts';

/** The schemas of the replaced tables and of the copies inside the transaction of a restore, and nowhere else. */
export const asideSchema = 'orrery_before_restore';
export const copySchema = 'orrery_known_before_restore';

/** Copies a replaced table as it is now. Of the trash, only members are asked for. */
export async function copyReplaced(connection: OwnConnection, name: string): Promise<void> {
  const [copy, replaced] = [`${copySchema}.${name}`, `${asideSchema}.${name}`];
  await connection.script(`drop table if exists ${copy};
    create table ${copy} as select * from ${replaced} limit 0`);
  const wanted = name === 'trash' ? sql`where type_id = ${platformTypes.member}` : sql``;
  await connection.query(sql`insert into ${raw(copy)} select * from ${raw(replaced)} ${wanted}`);
}
