// One object type: what it is called, and its properties with their options. What is built in can be renamed and described, and
// nothing else.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { paths } from '../../../app/routes.ts';
import { api } from '../../../data/api.ts';
import { asText } from '../../../data/as-text.ts';
import type { Row } from '../../../data/paged-rows.ts';
import { useMaybeType, useType } from '../../../data/schema.ts';
import { Button } from '../../../parts/button.tsx';
import { schemaTexts } from '../../../text/schema-texts.ts';
import { settingsTexts } from '../../../text/settings-texts.ts';
import { texts } from '../../../text/texts.ts';
import { CheckedDialog } from '../parts/checked-dialog.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Part, SettingsFrame } from '../parts/frame.tsx';
import { isTrue, textOf, useMay, useMayDefine, usePlatform, useWrite } from '../parts/platform.ts';
import { changedValues, RecordFields, type Values } from '../parts/record-fields.tsx';
import { RowMenu } from '../parts/row-menu.tsx';
import { propertyToType } from './names.ts';
import { PropertiesTable } from './properties-table.tsx';
import { PropertyDialog } from './property-dialog.tsx';

export function TypePage({ record }: { readonly record: Row }) {
  const name = textOf(record, 'svc_name');
  const label = textOf(record, 'svc_label');
  const isCustom = textOf(record, 'svc_category') === 'custom';
  const may = useMayDefine();
  const sees = useMay();
  const [open, setOpen] = useState<'edit' | 'delete' | 'property'>();
  const close = () => setOpen(undefined);
  const mayEdit = may('svc_object_type', 'update');
  const mayDelete = isCustom && may('svc_object_type', 'delete');
  return (
    <SettingsFrame
      title={textOf(record, 'svc_plural_label') || label}
      above={[{ label: settingsTexts.types, href: paths.settings('types') }]}
      actions={
        <>
          <RowMenu
            title={label}
            actions={[
              ...(mayEdit
                ? [{ label: settingsTexts.edit, icon: 'edit', onChoose: () => setOpen('edit') } as const]
                : []),
              ...(mayDelete
                ? [
                    {
                      label: settingsTexts.delete,
                      icon: 'trash',
                      look: 'danger',
                      onChoose: () => setOpen('delete'),
                    } as const,
                  ]
                : []),
            ]}
          />
          {sees(name) && (
            <Link href={paths.table(name)} className="button plain">
              {schemaTexts.openTable}
            </Link>
          )}
          {may('svc_property', 'create') && may('svc_property', 'associate') && (
            <Button look="primary" icon="plus" onClick={() => setOpen('property')}>
              {schemaTexts.newProperty}
            </Button>
          )}
        </>
      }
    >
      <p className="settings-intro">{textOf(record, 'svc_description')}</p>
      <dl className="facts settings-facts">
        <dt>{schemaTexts.nameInRequests}</dt>
        <dd className="mono">{name}</dd>
        <dt>{schemaTexts.origin}</dt>
        <dd>{isCustom ? settingsTexts.custom : settingsTexts.builtIn}</dd>
      </dl>
      <Properties record={record} />
      {open === 'edit' && <EditType record={record} isCustom={isCustom} onClose={close} />}
      {open === 'delete' && <DeleteType record={record} onClose={close} />}
      {open === 'property' && <PropertyDialog type={record} onClose={close} />}
    </SettingsFrame>
  );
}

function Properties({ record }: { readonly record: Row }) {
  const sees = useMay();
  if (!sees('svc_property')) return null;
  return <KnownProperties record={record} />;
}

/** Built-in ones in the order of the schema, then those of the org in theirs. */
function KnownProperties({ record }: { readonly record: Row }) {
  const found = usePlatform('svc_property', {
    filter: { association: propertyToType, operator: 'exists', target_id: record.id },
    sort: [{ property: 'svc_position', direction: 'asc' }],
  });
  const [custom, builtIn] = [true, false].map((isCustom) =>
    found.filter((each) => isTrue(each, 'svc_custom') === isCustom),
  );
  return (
    <Part title={schemaTexts.properties} {...((custom?.length ?? 0) > 1 ? { intro: schemaTexts.ownOrder } : {})}>
      <PropertiesTable type={record} custom={custom ?? []} builtIn={builtIn ?? []} />
    </Part>
  );
}

const labels = ['svc_label', 'svc_plural_label', 'svc_description'] as const;

function EditType({
  record,
  isCustom,
  onClose,
}: {
  readonly record: Row;
  readonly isCustom: boolean;
  readonly onClose: () => void;
}) {
  const definition = useType('svc_object_type');
  const detail = useMaybeType(textOf(record, 'svc_name'));
  const write = useWrite();
  const names = isCustom ? [...labels, 'svc_title_property'] : labels;
  const before: Values = Object.fromEntries(names.map((name) => [name, textOf(record, name) || undefined]));
  const [values, setTyped] = useState(before);
  const titles = (detail?.properties ?? []).filter(
    ({ field_type: field, multi_valued: many }) => field === 'text' && !many,
  );
  const save = async () => {
    const changed = changedValues(before, values);
    if (Object.keys(changed).length > 0) {
      const update = () => api.records('svc_object_type').update(record.id, changed, { ifMatch: record.version });
      await write(update, settingsTexts.done(asText(values['svc_label'])));
    }
    onClose();
  };
  return (
    <FormDialog
      title={settingsTexts.editTitle(textOf(record, 'svc_label'))}
      submit={texts.save}
      own={names}
      onSubmit={save}
      onClose={onClose}
    >
      {(error) => (
        <RecordFields
          type={definition}
          names={names}
          choices={{ svc_title_property: titles.map(({ name, label }) => ({ value: name, label })) }}
          values={values}
          error={error}
          onChange={(name, value) => setTyped({ ...values, [name]: value })}
        />
      )}
    </FormDialog>
  );
}

function DeleteType({ record, onClose }: { readonly record: Row; readonly onClose: () => void }) {
  const write = useWrite();
  const sees = useMay();
  const [, go] = useLocation();
  const [name, label] = [textOf(record, 'svc_name'), textOf(record, 'svc_label')];
  return (
    <CheckedDialog
      title={settingsTexts.deleteTitle(label)}
      text={() => schemaTexts.deleteType}
      confirm={settingsTexts.delete}
      check={() => api.records('svc_object_type').delete(record.id, { dryRun: true })}
      run={async () => {
        await write(() => api.records('svc_object_type').delete(record.id), settingsTexts.deletedTitle(label));
        go(paths.settings('types'));
      }}
      wayOf={(reason) => (reason === 'type_in_use' && sees(name) ? <WhereItsRecordsAre type={name} /> : undefined)}
      onClose={onClose}
    />
  );
}

/** In its table, or, if that is empty, in the trash. */
function WhereItsRecordsAre({ type }: { readonly type: string }) {
  const { data: live } = useQuery({
    queryKey: ['records', type, 'any'],
    queryFn: async ({ signal }) => (await api.records(type).query({ limit: 1 }, { signal }).first()).data.length > 0,
    throwOnError: false,
  });
  if (live === undefined) return null;
  if (live) {
    return (
      <Link href={paths.table(type)} className="link">
        {settingsTexts.ways.type_in_use}
      </Link>
    );
  }
  return (
    <>
      {`${schemaTexts.onlyInTrash} `}
      <Link href={`${paths.settings('trash')}?type=${encodeURIComponent(type)}`} className="link">
        {schemaTexts.showInTrash}
      </Link>
    </>
  );
}
