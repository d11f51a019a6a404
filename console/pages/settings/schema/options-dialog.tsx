// The options of a select property: added, renamed, put in order by dragging or by keyboard, and deleted if no record has them.
import { Suspense, useState } from 'react';
import { api } from '../../../data/api.ts';
import { asText } from '../../../data/as-text.ts';
import type { Row } from '../../../data/paged-rows.ts';
import { useType } from '../../../data/schema.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Bars } from '../../../parts/loading.tsx';
import { schemaTexts } from '../../../text/schema-texts.ts';
import { settingsTexts } from '../../../text/settings-texts.ts';
import { texts } from '../../../text/texts.ts';
import { CheckedDialog } from '../parts/checked-dialog.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { OrderedList } from '../parts/ordered-list.tsx';
import { placed } from '../parts/placed.ts';
import { isTrue, textOf, useMayDefine, usePlatform, useWrite } from '../parts/platform.ts';
import { RecordFields, setValues, type Values } from '../parts/record-fields.tsx';
import { RecordsInTheWay } from '../parts/records-in-the-way.tsx';
import { RowMenu } from '../parts/row-menu.tsx';
import { nameFrom, optionToProperty } from './names.ts';

interface Props {
  readonly type: Row;
  readonly property: Row;
  readonly onClose: () => void;
}

type Open = { readonly kind: 'new' } | { readonly kind: 'edit' | 'delete'; readonly option: Row };

export function OptionsDialog(props: Props) {
  return (
    <Dialog title={schemaTexts.optionsOf(textOf(props.property, 'svc_label'))} onClose={props.onClose}>
      <Suspense fallback={<Bars count={4} />}>
        <Options {...props} />
      </Suspense>
    </Dialog>
  );
}

function Options({ type, property, onClose }: Props) {
  const options = usePlatform('svc_property_option', {
    filter: { association: optionToProperty, operator: 'exists', target_id: property.id },
    sort: [{ property: 'svc_position', direction: 'asc' }],
  });
  const may = useMayDefine();
  const write = useWrite();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const isCustom = isTrue(property, 'svc_custom');
  const order = async (ids: readonly string[]) => {
    await write(
      () => api.batch(placed('svc_property_option', ids, options), { atomic: true }),
      settingsTexts.orderSaved,
    );
  };
  return (
    <>
      <div className="form-scroll">
        {options.length === 0 && <p className="quiet">{schemaTexts.noOptions}</p>}
        <OrderedList
          label={schemaTexts.optionsOf(textOf(property, 'svc_label'))}
          entries={options.map((option) => ({ id: option.id, title: textOf(option, 'svc_label'), option }))}
          onOrder={isCustom && may('svc_property_option', 'update') ? order : undefined}
        >
          {({ option, title }) => (
            <>
              <span className="ordered-title one-line">{title}</span>
              <span className="ordered-name mono one-line">{textOf(option, 'svc_value')}</span>
              <RowMenu
                title={title}
                actions={[
                  ...(may('svc_property_option', 'update')
                    ? [
                        {
                          label: settingsTexts.edit,
                          icon: 'edit',
                          onChoose: () => setOpen({ kind: 'edit', option }),
                        } as const,
                      ]
                    : []),
                  ...(isCustom && may('svc_property_option', 'delete')
                    ? [
                        {
                          label: settingsTexts.delete,
                          icon: 'trash',
                          look: 'danger',
                          onChoose: () => setOpen({ kind: 'delete', option }),
                        } as const,
                      ]
                    : []),
                ]}
              />
            </>
          )}
        </OrderedList>
      </div>
      <footer className="dialog-foot">
        {isCustom && may('svc_property_option', 'create') && may('svc_property_option', 'associate') && (
          <Button icon="plus" onClick={() => setOpen({ kind: 'new' })}>
            {schemaTexts.addOption}
          </Button>
        )}
        <span className="grow" />
        <Button onClick={onClose}>{texts.close}</Button>
      </footer>
      {open?.kind === 'new' && <OptionForm property={property} onClose={close} />}
      {open?.kind === 'edit' && <OptionForm property={property} option={open.option} onClose={close} />}
      {open?.kind === 'delete' && <DeleteOption type={type} property={property} option={open.option} onClose={close} />}
    </>
  );
}

function OptionForm({
  property,
  option,
  onClose,
}: {
  readonly property: Row;
  readonly option?: Row;
  readonly onClose: () => void;
}) {
  const definition = useType('svc_property_option');
  const write = useWrite();
  const [values, setTyped] = useState<Values>(option === undefined ? {} : { svc_label: textOf(option, 'svc_label') });
  const label = asText(values['svc_label'], '');
  const value = asText(values['svc_value'], nameFrom(label));
  const names = option === undefined ? ['svc_label', 'svc_value'] : ['svc_label'];
  const save = async () => {
    const records = api.records('svc_property_option');
    const associations = [{ association_type: optionToProperty, target_id: property.id }];
    await write(
      () =>
        option === undefined
          ? records.create({ ...setValues(values), svc_value: value }, { associations })
          : records.update(option.id, { svc_label: label }),
      settingsTexts.done(label),
    );
    onClose();
  };
  return (
    <FormDialog
      title={option === undefined ? schemaTexts.newOption : settingsTexts.editTitle(textOf(option, 'svc_label'))}
      submit={texts.save}
      own={names}
      onSubmit={save}
      onClose={onClose}
    >
      {(error) => (
        <RecordFields
          type={definition}
          names={names}
          values={{ ...values, svc_value: value === '' ? undefined : value }}
          error={error}
          onChange={(name, typed) => setTyped({ ...values, [name]: typed })}
        />
      )}
    </FormDialog>
  );
}

function DeleteOption({ type, property, option, onClose }: Props & { readonly option: Row }) {
  const write = useWrite();
  const label = textOf(option, 'svc_label');
  const records = api.records('svc_property_option');
  return (
    <CheckedDialog
      title={settingsTexts.deleteTitle(label)}
      text={() => schemaTexts.deleteOption}
      confirm={settingsTexts.delete}
      check={() => records.delete(option.id, { dryRun: true })}
      run={() => write(() => records.delete(option.id), settingsTexts.deletedTitle(label))}
      wayOf={(reason) =>
        reason === 'option_in_use' ? (
          <RecordsInTheWay
            type={textOf(type, 'svc_name')}
            condition={{
              property: textOf(property, 'svc_name'),
              operator: isTrue(property, 'svc_multi_valued') ? 'in' : 'eq',
              value: isTrue(property, 'svc_multi_valued') ? [textOf(option, 'svc_value')] : textOf(option, 'svc_value'),
            }}
          >
            {settingsTexts.ways.option_in_use}
          </RecordsInTheWay>
        ) : undefined
      }
      onClose={onClose}
    />
  );
}
