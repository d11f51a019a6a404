// The properties of a type: those of the org in an order that people decide, then what is built in.
import { useState } from 'react';
import { api } from '../../../data/api.ts';
import type { Row } from '../../../data/paged-rows.ts';
import { useType } from '../../../data/schema.ts';
import { schemaTexts } from '../../../text/schema-texts.ts';
import { settingsTexts } from '../../../text/settings-texts.ts';
import { CheckedDialog } from '../parts/checked-dialog.tsx';
import { OrderedList } from '../parts/ordered-list.tsx';
import { placed } from '../parts/placed.ts';
import { isTrue, textOf, useMay, useMayDefine, useWrite } from '../parts/platform.ts';
import { type RowAction, RowMenu } from '../parts/row-menu.tsx';
import { OptionsDialog } from './options-dialog.tsx';
import { PropertyDialog } from './property-dialog.tsx';

interface Props {
  readonly type: Row;
  readonly custom: readonly Row[];
  readonly builtIn: readonly Row[];
}

interface Open {
  readonly kind: 'edit' | 'options' | 'delete';
  readonly property: Row;
}

export function PropertiesTable({ type, custom, builtIn }: Props) {
  const may = useMayDefine();
  const sees = useMay();
  const write = useWrite();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const mayOrder = may('svc_property', 'update');
  const order = async (ids: readonly string[]) => {
    await write(() => api.batch(placed('svc_property', ids, custom), { atomic: true }), settingsTexts.orderSaved);
  };
  const actionsOf = (property: Row): readonly RowAction[] => [
    ...(may('svc_property', 'update')
      ? [{ label: settingsTexts.edit, icon: 'edit', onChoose: () => setOpen({ kind: 'edit', property }) } as const]
      : []),
    ...(isSelect(property) && sees('svc_property_option')
      ? [
          {
            label: schemaTexts.options,
            icon: 'columns',
            onChoose: () => setOpen({ kind: 'options', property }),
          } as const,
        ]
      : []),
    ...(isTrue(property, 'svc_custom') && may('svc_property', 'delete')
      ? [
          {
            label: settingsTexts.delete,
            icon: 'trash',
            look: 'danger',
            onChoose: () => setOpen({ kind: 'delete', property }),
          } as const,
        ]
      : []),
  ];
  const line = (property: Row) => <PropertyLine property={property} type={type} actions={actionsOf(property)} />;
  const entries = (properties: readonly Row[]) =>
    properties.map((property) => ({ id: property.id, title: textOf(property, 'svc_label'), property }));
  return (
    <>
      {custom.length > 0 && (
        <OrderedList label={settingsTexts.custom} entries={entries(custom)} onOrder={mayOrder ? order : undefined}>
          {({ property }) => line(property)}
        </OrderedList>
      )}
      {builtIn.length > 0 && (
        <>
          <h3 className="ordered-heading">{settingsTexts.builtIn}</h3>
          <OrderedList label={settingsTexts.builtIn} entries={entries(builtIn)} onOrder={undefined}>
            {({ property }) => line(property)}
          </OrderedList>
        </>
      )}
      {open?.kind === 'edit' && <PropertyDialog type={type} property={open.property} onClose={close} />}
      {open?.kind === 'options' && <OptionsDialog type={type} property={open.property} onClose={close} />}
      {open?.kind === 'delete' && <DeleteProperty property={open.property} onClose={close} />}
    </>
  );
}

function isSelect(property: Row): boolean {
  return textOf(property, 'svc_field_type') === 'select';
}

function PropertyLine({
  property,
  type,
  actions,
}: {
  readonly property: Row;
  readonly type: Row;
  readonly actions: readonly RowAction[];
}) {
  const definition = useType('svc_property');
  const field = textOf(property, 'svc_field_type');
  const fieldLabel =
    definition.byName.get('svc_field_type')?.options?.find(({ value }) => value === field)?.label ?? field;
  const name = textOf(property, 'svc_name');
  const rules = [
    ...(textOf(type, 'svc_title_property') === name ? [schemaTexts.title] : []),
    ...(isTrue(property, 'svc_required') ? [schemaTexts.required] : []),
    ...(isTrue(property, 'svc_unique') ? [schemaTexts.unique] : []),
    ...(isTrue(property, 'svc_multi_valued') ? [schemaTexts.list] : []),
  ];
  return (
    <>
      <span className="ordered-title one-line" title={textOf(property, 'svc_description')}>
        {textOf(property, 'svc_label')}
      </span>
      <span className="ordered-name mono one-line">{name}</span>
      <span className="ordered-kind one-line">{fieldLabel}</span>
      <span className="ordered-rules">
        {rules.map((rule) => (
          <span key={rule} className="tag">
            {rule}
          </span>
        ))}
      </span>
      <RowMenu title={textOf(property, 'svc_label')} actions={actions} />
    </>
  );
}

function DeleteProperty({ property, onClose }: { readonly property: Row; readonly onClose: () => void }) {
  const write = useWrite();
  const label = textOf(property, 'svc_label');
  return (
    <CheckedDialog
      title={settingsTexts.deleteTitle(label)}
      text={() => schemaTexts.deleteProperty}
      confirm={settingsTexts.delete}
      check={() => api.records('svc_property').delete(property.id, { dryRun: true })}
      run={() => write(() => api.records('svc_property').delete(property.id), settingsTexts.deletedTitle(label))}
      onClose={onClose}
    />
  );
}
