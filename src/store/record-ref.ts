// Which record: ids are unique within an org, but the type is always known and leads every key.
import { rowSource } from './row-parameters.ts';

export interface RecordRef {
  readonly typeId: number;
  readonly id: string;
}

export const refSource = rowSource<RecordRef>(
  ['type_id', 'integer', (ref) => ref.typeId],
  ['id', 'uuid', (ref) => ref.id],
);
