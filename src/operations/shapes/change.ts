// The wire shape of an entry of the change feed.
import { Type } from 'typebox';
import { readableKinds } from '../../engine/feed/entry.ts';

export const ChangeShape = Type.Object(
  {
    id: Type.String({ description: 'The id of the entry; opaque.' }),
    type: Type.Enum([...readableKinds], { description: 'What happened.' }),
    object_type: Type.String({ description: 'The type of the record; for a link, of its source.' }),
    record_id: Type.String({ description: 'The id of the record; for a link, of its source.' }),
    version: Type.String({ pattern: '^[1-9][0-9]*$', description: 'The version of the record after the change.' }),
    changed: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Object({ old: Type.Optional(Type.Unknown()), new: Type.Optional(Type.Unknown()) }),
        {
          description:
            'The changed values by property: the old and the new value, each absent if the property was unset. For a ' +
            'created or restored record, all its values.',
        },
      ),
    ),
    association_type: Type.Optional(Type.String({ description: 'For a link: its association type.' })),
    target_type: Type.Optional(Type.String({ description: 'For a link: the type of its target.' })),
    target_id: Type.Optional(Type.String({ description: 'For a link: the id of its target.' })),
    at: Type.String({ format: 'date-time', description: 'When it happened.' }),
    principal_id: Type.String({ description: 'Who did it: a user, or a key without a user.' }),
    request_id: Type.String({ description: 'The request that did it.' }),
  },
  { $id: 'Change' },
);
