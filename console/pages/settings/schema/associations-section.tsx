// The association types of the org: how records can be linked. Those of the org can be added and, without links, deleted.
import { useState } from 'react';
import { api } from '../../../data/api.ts';
import { asText } from '../../../data/as-text.ts';
import type { Row } from '../../../data/paged-rows.ts';
import { type TypeDetail, useCatalog, useType } from '../../../data/schema.ts';
import type { Choice } from '../../../fields/chosen.tsx';
import { Button } from '../../../parts/button.tsx';
import { schemaTexts } from '../../../text/schema-texts.ts';
import { settingsTexts } from '../../../text/settings-texts.ts';
import { texts } from '../../../text/texts.ts';
import { CheckedDialog } from '../parts/checked-dialog.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { SettingsFrame, Table } from '../parts/frame.tsx';
import { isTrue, textOf, useMayDefine, usePlatform, useWrite } from '../parts/platform.ts';
import { RecordFields, setValues, type Values } from '../parts/record-fields.tsx';
import { RecordsInTheWay } from '../parts/records-in-the-way.tsx';
import { RowMenu } from '../parts/row-menu.tsx';
import { nameFrom } from './names.ts';

type Open = { readonly kind: 'new' } | { readonly kind: 'edit' | 'delete'; readonly association: Row };

export function AssociationsSection() {
  const definition = useType('svc_association_type');
  const associations = usePlatform('svc_association_type');
  const may = useMayDefine();
  const endText = useEndText();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const cardinality = definition.byName.get('svc_cardinality');
  // Names of the service begin with svc_; the org's own come first.
  const isOwn = (row: Row) => !textOf(row, 'svc_name').startsWith('svc_');
  const shown = associations.toSorted((one, other) => Number(isOwn(other)) - Number(isOwn(one)));
  return (
    <SettingsFrame
      title={settingsTexts.associations}
      actions={
        may('svc_association_type', 'create') && (
          <Button look="primary" icon="plus" onClick={() => setOpen({ kind: 'new' })}>
            {schemaTexts.newAssociation}
          </Button>
        )
      }
    >
      <p className="settings-intro">{schemaTexts.associationsIntro}</p>
      <Table
        label={settingsTexts.associations}
        heads={[
          { label: schemaTexts.label },
          { label: schemaTexts.source, look: 'wide' },
          { label: schemaTexts.target, look: 'wide' },
          { label: cardinality?.label ?? schemaTexts.cardinality, look: 'wide' },
          { label: schemaTexts.origin, look: 'wide' },
          { label: texts.actions, look: 'hidden' },
        ]}
      >
        {shown.map((row) => {
          const name = textOf(row, 'svc_name');
          const label = textOf(row, 'svc_label') || name;
          const [source = '', target = ''] = ['svc_source', 'svc_target'].map((end) => textOf(row, end));
          return (
            <tr key={row.id}>
              <th scope="row" title={name}>
                <span className="cell-line">
                  <span className="one-line">{label}</span>
                  {isTrue(row, 'svc_stage') && <span className="tag">{schemaTexts.stage}</span>}
                </span>
                <span className="narrow-line one-line">{`${endText(source)} → ${endText(target)}`}</span>
              </th>
              <td className="wide" title={source}>
                {endText(source)}
              </td>
              <td className="wide" title={target}>
                {endText(target)}
              </td>
              <td className="wide">
                {cardinality?.options?.find(({ value }) => value === textOf(row, 'svc_cardinality'))?.label}
              </td>
              <td className="wide">
                {isOwn(row) ? settingsTexts.custom : <span className="quiet">{settingsTexts.builtIn}</span>}
              </td>
              <td className="end">
                <RowMenu
                  title={label}
                  actions={[
                    ...(may('svc_association_type', 'update')
                      ? [
                          {
                            label: settingsTexts.edit,
                            icon: 'edit',
                            onChoose: () => setOpen({ kind: 'edit', association: row }),
                          } as const,
                        ]
                      : []),
                    ...(isOwn(row) && may('svc_association_type', 'delete')
                      ? [
                          {
                            label: settingsTexts.delete,
                            icon: 'trash',
                            look: 'danger',
                            onChoose: () => setOpen({ kind: 'delete', association: row }),
                          } as const,
                        ]
                      : []),
                  ]}
                />
              </td>
            </tr>
          );
        })}
      </Table>
      {open?.kind === 'new' && <AssociationForm definition={definition} onClose={close} />}
      {open?.kind === 'edit' && (
        <AssociationForm definition={definition} association={open.association} onClose={close} />
      )}
      {open?.kind === 'delete' && <DeleteAssociation association={open.association} onClose={close} />}
    </SettingsFrame>
  );
}

/** The label of a type, or what a kind means. */
function useEndText(): (end: string) => string {
  const { types } = useCatalog();
  return (end) => {
    if (end.startsWith('kind:')) return schemaTexts.anyOfKind(end.slice('kind:'.length));
    return types.find(({ name }) => name === end)?.label ?? end;
  };
}

/** Types that the org can link, and the kinds that they have. */
function useEnds(): readonly Choice[] {
  const { types } = useCatalog();
  const extended = types.filter(({ category }) => category !== 'platform');
  const kinds = [...new Set(extended.flatMap(({ kind }) => (kind === null ? [] : [kind])))];
  return [
    ...extended.map(({ name, label }) => ({ value: name, label })),
    ...kinds.map((kind) => ({ value: `kind:${kind}`, label: schemaTexts.anyOfKind(kind) })),
  ];
}

const newNames = ['svc_label', 'svc_source', 'svc_target', 'svc_cardinality', 'svc_stage', 'svc_name'] as const;

function AssociationForm({
  definition,
  association,
  onClose,
}: {
  readonly definition: TypeDetail;
  readonly association?: Row;
  readonly onClose: () => void;
}) {
  const ends = useEnds();
  const write = useWrite();
  const [values, setTyped] = useState<Values>(
    association === undefined
      ? { svc_cardinality: 'many_to_many' }
      : { svc_label: textOf(association, 'svc_label') || undefined },
  );
  const label = asText(values['svc_label'], '');
  const [source, target] = ['svc_source', 'svc_target'].map((end) => asText(values[end]).replace(/^kind:/, ''));
  const made = source === '' || target === '' ? '' : nameFrom(`${source}_to_${target}`).replaceAll('svc_', '');
  const name = asText(values['svc_name'], made);
  const names = association === undefined ? newNames : (['svc_label'] as const);
  const save = async () => {
    const records = api.records('svc_association_type');
    await write(
      () =>
        association === undefined
          ? records.create({ ...setValues(values), svc_name: name })
          : records.update(association.id, { svc_label: label === '' ? null : label }),
      settingsTexts.done(label || name),
    );
    onClose();
  };
  return (
    <FormDialog
      title={
        association === undefined
          ? schemaTexts.newAssociation
          : settingsTexts.editTitle(textOf(association, 'svc_label') || textOf(association, 'svc_name'))
      }
      submit={association === undefined ? schemaTexts.makeAssociation : texts.save}
      own={names}
      onSubmit={save}
      onClose={onClose}
    >
      {(error) => (
        <RecordFields
          type={definition}
          names={names}
          choices={{ svc_source: ends, svc_target: ends }}
          values={{ ...values, svc_name: name === '' ? undefined : name }}
          error={error}
          onChange={(changed, value) => setTyped({ ...values, [changed]: value })}
        />
      )}
    </FormDialog>
  );
}

function DeleteAssociation({ association, onClose }: { readonly association: Row; readonly onClose: () => void }) {
  const write = useWrite();
  const label = textOf(association, 'svc_label') || textOf(association, 'svc_name');
  const records = api.records('svc_association_type');
  return (
    <CheckedDialog
      title={settingsTexts.deleteTitle(label)}
      text={() => schemaTexts.deleteAssociation}
      confirm={settingsTexts.delete}
      check={() => records.delete(association.id, { dryRun: true })}
      run={() => write(() => records.delete(association.id), settingsTexts.deletedTitle(label))}
      wayOf={(reason) => (reason === 'type_in_use' ? <LinkedRecords association={association} /> : undefined)}
      onClose={onClose}
    />
  );
}

/** The records at its beginning, of each type that it can be of. */
function LinkedRecords({ association }: { readonly association: Row }) {
  const { types } = useCatalog();
  const [name, source] = [textOf(association, 'svc_name'), textOf(association, 'svc_source')];
  const isLoop = source === textOf(association, 'svc_target');
  return types
    .filter((type) => type.name === source || `kind:${type.kind}` === source)
    .map((type) => (
      <RecordsInTheWay
        key={type.name}
        type={type.name}
        condition={{ association: name, operator: 'exists', ...(isLoop ? { direction: 'outgoing' } : {}) }}
      >
        {schemaTexts.showLinked(type.plural_label)}
      </RecordsInTheWay>
    ));
}
