// The wire shape of an entry of the change feed.
import { Type } from 'typebox';
import { readableKinds } from '../../engine/feed/entry.ts';

export const ChangeShape = Type.Object(
  {
    id: Type.String({ description: 'Names the entry; nothing can be told from it.' }),
    type: Type.Enum([...readableKinds], { description: 'What happened.' }),
    object_type: Type.String({ description: 'The type of the record; of a link, that of its source.' }),
    record_id: Type.String({ description: 'The record; of a link, its source.' }),
    version: Type.String({ pattern: '^[1-9][0-9]*$', description: 'The version of the record after the change.' }),
    changed: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Object({ old: Type.Optional(Type.Unknown()), new: Type.Optional(Type.Unknown()) }),
        {
          description:
            'What was updated, by property: the former and the new value, each absent where the property was unset. Of a ' +
            'record that was created or restored, all its values.',
        },
      ),
    ),
    association_type: Type.Optional(Type.String({ description: 'Of a link: its association type.' })),
    target_type: Type.Optional(Type.String({ description: 'Of a link: the type of its target.' })),
    target_id: Type.Optional(Type.String({ description: 'Of a link: its target.' })),
    at: Type.String({ format: 'date-time', description: 'When.' }),
    principal_id: Type.String({ description: 'Who did it: a user, or a key without a user.' }),
    request_id: Type.String({ description: 'In which request.' }),
  },
  { $id: 'Change' },
);
