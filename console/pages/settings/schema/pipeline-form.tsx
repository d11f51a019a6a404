// A pipeline or a stage, made or changed: the fields are those that its type has.
import { useState } from 'react';
import type { Value } from '../../../../client/main.ts';
import { api } from '../../../data/api.ts';
import type { Row } from '../../../data/paged-rows.ts';
import { type TypeDetail, titleOf, titleProperties } from '../../../data/schema.ts';
import type { Single } from '../../../fields/field.ts';
import { isKnown } from '../../../fields/index.ts';
import { schemaTexts } from '../../../text/schema-texts.ts';
import { settingsTexts } from '../../../text/settings-texts.ts';
import { texts } from '../../../text/texts.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { textOf, useWrite } from '../parts/platform.ts';
import { changedValues, RecordFields, setValues, type Values } from '../parts/record-fields.tsx';

interface Props {
  readonly type: TypeDetail;
  /** Undefined for a new one. */
  readonly pipeline?: Row;
  /** Those that there are, before a new one. */
  readonly others?: readonly Row[];
  /** Links of a new one. */
  readonly links?: readonly { readonly association_type: string; readonly target_id: string }[];
  readonly title?: string;
  readonly onClose: () => void;
}

export function PipelineForm({ type, pipeline, others = [], links = [], title, onClose }: Props) {
  const write = useWrite();
  const names = formNames(type);
  const before: Values = Object.fromEntries(
    names.map((name) => [name, pipeline?.properties[name] as Single | undefined]),
  );
  const [values, setTyped] = useState(before);
  const name = titleOf(type, values) || type.label;
  const save = async () => {
    const records = api.records(type.name);
    const changed = changedValues(before, values);
    if (pipeline === undefined) {
      const place: Record<string, Value> = type.byName.has('svc_position') ? { svc_position: nextPlace(others) } : {};
      await write(
        () => records.create({ ...setValues(values), ...place }, { associations: links }),
        settingsTexts.done(name),
      );
    } else if (Object.keys(changed).length > 0) {
      await write(() => records.update(pipeline.id, changed, { ifMatch: pipeline.version }), settingsTexts.done(name));
    }
    onClose();
  };
  return (
    <FormDialog
      title={title ?? (pipeline === undefined ? schemaTexts.newPipeline : settingsTexts.editTitle(name))}
      submit={texts.save}
      own={names}
      onSubmit={save}
      onClose={onClose}
    >
      {(error) => (
        <RecordFields
          type={type}
          names={names}
          values={values}
          error={error}
          onChange={(changed, value) => setTyped({ ...values, [changed]: value })}
        />
      )}
    </FormDialog>
  );
}

/** The title first. The place is decided by moving, not by a number. */
function formNames(type: TypeDetail): readonly string[] {
  const titles = titleProperties(type);
  const rest = type.properties.filter(
    ({ name, read_only: readOnly, multi_valued: many, field_type: field }) =>
      !readOnly && !many && isKnown(field) && name !== 'svc_position' && !titles.includes(name),
  );
  return [...titles, ...rest.map(({ name }) => name)];
}

function nextPlace(others: readonly Row[]): string {
  return String(
    others.reduce((most, row) => Math.max(most, Math.floor(Number(textOf(row, 'svc_position')) || 0)), 0) + 1,
  );
}
