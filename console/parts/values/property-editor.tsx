// Edits a property of a record as the person saw it when they began: a change elsewhere meanwhile does not touch what they type,
// and shows theirs and mine if both changed the same property.
import { useState } from 'react';
import type { Value } from '../../../client/main.ts';
import type { Row } from '../../data/paged-rows.ts';
import type { TypeDetail } from '../../data/schema.ts';
import { Conflict, changeRecord } from '../../data/write.ts';
import type { KnownProperty } from '../../fields/field.ts';
import { isKnown } from '../../fields/index.ts';
import { texts } from '../../text/texts.ts';
import { messages } from '../toasts.tsx';
import { ConflictNote, ValueEditor } from './value-editor.tsx';

export function isEditable(type: TypeDetail, property: KnownProperty): boolean {
  return !property.read_only && type.writable_operations.includes('update') && isKnown(property.field_type);
}

interface Props {
  readonly type: TypeDetail;
  readonly row: Row;
  readonly property: KnownProperty;
  /** The record as it is now: as the person wrote it, or as somebody else has left it. */
  readonly onRow: (row: Row) => void;
  readonly onClose: () => void;
}

export function PropertyEditor({ type, row, property, onRow, onClose }: Props) {
  const [seen] = useState(row);
  const [clash, setClash] = useState<{ readonly conflict: Conflict; readonly mine: Value | null }>();
  const write = async (next: Value | null, from: Row) => {
    try {
      const written = await changeRecord(type.name, from, { [property.name]: next });
      onRow(written.row);
      messages.done(texts.changed(1), written.requestId);
    } catch (error) {
      if (error instanceof Conflict) setClash({ conflict: error, mine: next });
      throw error;
    }
  };
  if (clash === undefined) {
    return (
      <ValueEditor
        property={property}
        value={seen.properties[property.name]}
        save={(next) => write(next, seen)}
        onClose={onClose}
      />
    );
  }
  return (
    <ConflictNote
      conflict={clash.conflict}
      mine={clash.mine ?? undefined}
      property={property}
      onTheirs={() => {
        onRow(clash.conflict.theirs);
        onClose();
      }}
      onMine={() => void write(clash.mine, clash.conflict.theirs).then(onClose, messages.failed)}
    />
  );
}
