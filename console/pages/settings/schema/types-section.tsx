// The object types of the org, built in and its own, and a new one, which is one atomic batch.
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { paths } from '../../../app/routes.ts';
import { api } from '../../../data/api.ts';
import { asText } from '../../../data/as-text.ts';
import type { Row } from '../../../data/paged-rows.ts';
import { type TypeDetail, useCatalog, useType } from '../../../data/schema.ts';
import { Button } from '../../../parts/button.tsx';
import { Icon, typeIcon } from '../../../parts/icon.tsx';
import { schemaTexts } from '../../../text/schema-texts.ts';
import { settingsTexts } from '../../../text/settings-texts.ts';
import { texts } from '../../../text/texts.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { SettingsFrame, Table } from '../parts/frame.tsx';
import { textOf, useMayDefine, usePlatform, useWrite } from '../parts/platform.ts';
import { RecordFields, setValues, type Values } from '../parts/record-fields.tsx';
import { nameFrom, propertyToType } from './names.ts';
import { TypePage } from './type-page.tsx';

/** The page of a type, by its name, or the list. */
export function TypesSection({ id }: { readonly id: string | undefined }) {
  const records = usePlatform('svc_object_type');
  if (id === undefined) return <TypeList records={records} />;
  const found = records.find((record) => textOf(record, 'svc_name') === id);
  if (found === undefined) {
    return (
      <p className="note-box settings-body" role="alert">
        {texts.noType}
      </p>
    );
  }
  return <TypePage record={found} />;
}

const rank = ['core', 'custom', 'activity', 'synced', 'generated', 'pipeline'];

function TypeList({ records }: { readonly records: readonly Row[] }) {
  const definition = useType('svc_object_type');
  const { types } = useCatalog();
  const may = useMayDefine();
  const [isOpen, setOpen] = useState(false);
  const shown = records.toSorted(
    (one, other) => rank.indexOf(textOf(one, 'svc_category')) - rank.indexOf(textOf(other, 'svc_category')),
  );
  return (
    <SettingsFrame
      title={settingsTexts.types}
      actions={
        may('svc_object_type', 'create') && (
          <Button look="primary" icon="plus" onClick={() => setOpen(true)}>
            {schemaTexts.newType}
          </Button>
        )
      }
    >
      <p className="settings-intro">{schemaTexts.typesIntro}</p>
      <Table
        label={settingsTexts.types}
        heads={[
          { label: schemaTexts.type },
          { label: schemaTexts.nameInRequests, look: 'wide' },
          { label: schemaTexts.description, look: 'wide' },
          { label: schemaTexts.origin, look: 'origin-head' },
        ]}
      >
        {shown.map((record) => {
          const name = textOf(record, 'svc_name');
          const label = textOf(record, 'svc_plural_label') || textOf(record, 'svc_label');
          const known = types.find((type) => type.name === name);
          return (
            <tr key={record.id}>
              <th scope="row">
                <span className="cell-line">
                  <Icon name={known === undefined ? 'box' : typeIcon(known)} />
                  <Link href={paths.settings('types', name)} className="row-title">
                    {label}
                  </Link>
                </span>
              </th>
              <td className="wide mono">{name}</td>
              <td className="wide" title={textOf(record, 'svc_description')}>
                {textOf(record, 'svc_description')}
              </td>
              <td className="origin">
                {textOf(record, 'svc_category') === 'custom' ? (
                  settingsTexts.custom
                ) : (
                  <span className="quiet">{settingsTexts.builtIn}</span>
                )}
              </td>
            </tr>
          );
        })}
      </Table>
      {isOpen && <NewType definition={definition} onClose={() => setOpen(false)} />}
    </SettingsFrame>
  );
}

/** The type with the property that is its title: neither is there without the other. */
function NewType({ definition, onClose }: { readonly definition: TypeDetail; readonly onClose: () => void }) {
  const [values, setTyped] = useState<Values>({});
  const [title, setTitle] = useState<string>(schemaTexts.titleDefault);
  const write = useWrite();
  const [, go] = useLocation();
  const label = asText(values['svc_label'], '');
  const name = asText(values['svc_name'], nameFrom(label));
  const make = async () => {
    const titleName = nameFrom(title);
    const type = { ...setValues(values), svc_name: name, svc_title_property: titleName };
    const property = { svc_name: titleName, svc_label: title.trim(), svc_field_type: 'text', svc_required: true };
    const link = { association_type: propertyToType, target_id: { ref: 'type' } };
    await write(
      () =>
        api.batch(
          [
            { operation: 'create', object_type: 'svc_object_type', ref: 'type', properties: type },
            { operation: 'create', object_type: 'svc_property', properties: property, associations: [link] },
          ],
          { atomic: true },
        ),
      schemaTexts.typeMade(label),
    );
    onClose();
    go(paths.settings('types', name));
  };
  const names = ['svc_label', 'svc_plural_label', 'svc_name', 'svc_description'] as const;
  return (
    <FormDialog title={schemaTexts.newType} submit={schemaTexts.makeType} own={names} onSubmit={make} onClose={onClose}>
      {(error) => (
        <>
          <RecordFields
            type={definition}
            names={names}
            values={{ ...values, svc_name: name === '' ? undefined : name }}
            error={error}
            onChange={(changed, value) => setTyped({ ...values, [changed]: value })}
          />
          <div className="form-line">
            <label className="label">
              {schemaTexts.titleLabel}
              <input className="input" required value={title} onChange={(event) => setTitle(event.target.value)} />
            </label>
            <p className="field-hint">{schemaTexts.titleHelp}</p>
          </div>
        </>
      )}
    </FormDialog>
  );
}
