// A property: a new one of any field type, or one that is changed. That records lack a value is said before it becomes required.
import { useState } from 'react';
import { OrreryProblem } from '../../../../client/main.ts';
import { api } from '../../../data/api.ts';
import { asText } from '../../../data/as-text.ts';
import type { Row } from '../../../data/paged-rows.ts';
import { useType } from '../../../data/schema.ts';
import type { Single } from '../../../fields/field.ts';
import { Problem } from '../../../parts/values/value-editor.tsx';
import { schemaTexts } from '../../../text/schema-texts.ts';
import { settingsTexts } from '../../../text/settings-texts.ts';
import { texts } from '../../../text/texts.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { isTrue, textOf, useWrite } from '../parts/platform.ts';
import { changedValues, RecordFields, setValues, type Values } from '../parts/record-fields.tsx';
import { RecordsInTheWay } from '../parts/records-in-the-way.tsx';
import { nameFrom, propertyToType } from './names.ts';

interface Props {
  readonly type: Row;
  /** Undefined for a new one. */
  readonly property?: Row;
  readonly onClose: () => void;
}

export function PropertyDialog({ type, property, onClose }: Props) {
  return property === undefined ? (
    <NewProperty type={type} onClose={onClose} />
  ) : (
    <EditProperty type={type} property={property} onClose={onClose} />
  );
}

/** What it is, before the options of a select; then its rules. */
const firstNames = ['svc_label', 'svc_name', 'svc_field_type'] as const;
const moreNames = ['svc_multi_valued', 'svc_unique', 'svc_required', 'svc_description'] as const;
const newNames = [...firstNames, ...moreNames];

function NewProperty({ type, onClose }: Omit<Props, 'property'>) {
  const definition = useType('svc_property');
  const write = useWrite();
  const [values, setTyped] = useState<Values>({ svc_field_type: 'text' });
  const [options, setOptions] = useState('');
  const label = asText(values['svc_label'], '');
  const name = asText(values['svc_name'], nameFrom(label));
  const isSelect = values['svc_field_type'] === 'select';
  const fields = {
    type: definition,
    values: { ...values, svc_name: name === '' ? undefined : name },
    onChange: (changed: string, value: Single | undefined) => setTyped({ ...values, [changed]: value }),
  };
  const make = async () => {
    const properties = { ...setValues(values), svc_name: name };
    const ofType = { association_type: propertyToType, target_id: type.id };
    const operations = [
      {
        operation: 'create',
        object_type: 'svc_property',
        ref: 'property',
        properties,
        associations: [ofType],
      } as const,
      ...(isSelect ? optionLabels(options) : []).map((option) => ({
        operation: 'create' as const,
        object_type: 'svc_property_option',
        properties: { svc_value: nameFrom(option) || option, svc_label: option },
        associations: [{ association_type: 'svc_property_option_to_property', target_id: { ref: 'property' } }],
      })),
    ];
    await write(() => api.batch(operations, { atomic: true }), settingsTexts.done(label));
    onClose();
  };
  return (
    <FormDialog
      title={schemaTexts.newProperty}
      submit={schemaTexts.makeProperty}
      own={newNames}
      onSubmit={make}
      onClose={onClose}
    >
      {(error) => (
        <>
          <RecordFields {...fields} names={firstNames} error={error} />
          {isSelect && (
            <div className="form-line">
              <label className="label">
                {schemaTexts.options}
                <textarea
                  className="input textarea"
                  rows={4}
                  value={options}
                  onChange={(event) => setOptions(event.target.value)}
                />
              </label>
              <p className="field-hint">{schemaTexts.optionsHelp}</p>
            </div>
          )}
          <RecordFields {...fields} names={moreNames} error={error} />
        </>
      )}
    </FormDialog>
  );
}

/** One in each line. */
function optionLabels(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== ''))];
}

function EditProperty({ type, property, onClose }: Props & { readonly property: Row }) {
  const definition = useType('svc_property');
  const write = useWrite();
  const isCustom = isTrue(property, 'svc_custom');
  const names = ['svc_label', 'svc_description', ...(isCustom ? ['svc_required'] : [])];
  const before: Values = {
    svc_label: textOf(property, 'svc_label'),
    svc_description: textOf(property, 'svc_description') || undefined,
    ...(isCustom ? { svc_required: isTrue(property, 'svc_required') } : {}),
  };
  const [values, setTyped] = useState(before);
  const [refused, setRefused] = useState<unknown>();
  const records = api.records('svc_property');
  const change = (name: string, value: Single | undefined) => {
    setTyped({ ...values, [name]: value });
    if (name !== 'svc_required') return;
    setRefused(undefined);
    // Whether every record has a value is known before anything is saved.
    if (value === true && before['svc_required'] !== true) {
      records.update(property.id, { svc_required: true }, { dryRun: true }).catch(setRefused);
    }
  };
  const save = async () => {
    const changed = changedValues(before, values);
    if (Object.keys(changed).length > 0) {
      const update = () => records.update(property.id, changed, { ifMatch: property.version });
      await write(update, settingsTexts.done(textOf(property, 'svc_label')));
    }
    onClose();
  };
  const lacks = refused instanceof OrreryProblem && refused.reason === 'values_missing';
  return (
    <FormDialog
      title={settingsTexts.editTitle(textOf(property, 'svc_label'))}
      submit={texts.save}
      own={names}
      isDisabled={refused !== undefined}
      onSubmit={save}
      onClose={onClose}
    >
      {(error) => (
        <>
          <RecordFields type={definition} names={names} values={values} error={error} onChange={change} />
          {refused !== undefined && <Problem error={refused} />}
          {lacks && (
            <RecordsInTheWay
              type={textOf(type, 'svc_name')}
              condition={{ property: textOf(property, 'svc_name'), operator: 'is_not_set' }}
            >
              {settingsTexts.ways.values_missing}
            </RecordsInTheWay>
          )}
        </>
      )}
    </FormDialog>
  );
}
