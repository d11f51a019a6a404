// The saved views that the caller sees: opened, renamed, and deleted.
import { useState } from 'react';
import { Link } from 'wouter';
import { api } from '../../../data/api.ts';
import type { Row } from '../../../data/paged-rows.ts';
import { pathOf, savedView } from '../../../data/saved-views.ts';
import { useCatalog, useType } from '../../../data/schema.ts';
import { Bars } from '../../../parts/loading.tsx';
import { messages } from '../../../parts/toasts.tsx';
import { momentText } from '../../../text/locale.ts';
import { operationTexts } from '../../../text/operation-texts.ts';
import { settingsTexts } from '../../../text/settings-texts.ts';
import { texts } from '../../../text/texts.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Empty, SettingsFrame, Table } from '../parts/frame.tsx';
import { MoreButton } from '../parts/more-button.tsx';
import { textOf, useMay, useWrite } from '../parts/platform.ts';
import { changedValues, RecordFields, type Values } from '../parts/record-fields.tsx';
import { RowMenu } from '../parts/row-menu.tsx';
import { usePages } from '../parts/use-pages.ts';

export function ViewsSection() {
  const type = useType('svc_view');
  const { types } = useCatalog();
  const may = useMay();
  const write = useWrite();
  const found = usePages('svc_view', { sort: [{ property: 'svc_name', direction: 'asc' }] });
  const [edited, setEdited] = useState<Row>();
  const remove = (view: Row) =>
    write(() => api.records('svc_view').delete(view.id), settingsTexts.deletedTitle(textOf(view, 'svc_name'))).catch(
      messages.failed,
    );
  return (
    <SettingsFrame title={settingsTexts.views}>
      <p className="settings-intro">{operationTexts.viewsIntro}</p>
      {found.isPending && <Bars />}
      {found.isSuccess && found.rows.length === 0 && <Empty text={operationTexts.noViews} />}
      {found.rows.length > 0 && (
        <Table
          label={type.plural_label}
          heads={[
            { label: settingsTexts.name },
            { label: operationTexts.kind },
            { label: texts.type },
            { label: operationTexts.changed, look: 'wide' },
            { label: texts.actions, look: 'hidden' },
          ]}
        >
          {found.rows.map((view) => {
            const [name, kind, about] = ['svc_name', 'svc_view_kind', 'svc_object_type'].map((each) =>
              textOf(view, each),
            );
            return (
              <tr key={view.id}>
                <th scope="row">
                  <Link href={pathOf(savedView(view))} className="row-title">
                    {name || texts.noName}
                  </Link>
                </th>
                <td>{(operationTexts.viewKinds as Readonly<Record<string, string>>)[kind ?? ''] ?? kind}</td>
                <td>{types.find((each) => each.name === about)?.plural_label ?? about}</td>
                <td className="wide figures">
                  <time>{momentText(textOf(view, 'svc_updated_at'))}</time>
                </td>
                <td className="end">
                  <RowMenu
                    title={name || texts.noName}
                    actions={[
                      ...(may('svc_view', 'update')
                        ? [{ label: settingsTexts.edit, icon: 'edit', onChoose: () => setEdited(view) } as const]
                        : []),
                      ...(may('svc_view', 'delete')
                        ? [
                            {
                              label: settingsTexts.delete,
                              icon: 'trash',
                              look: 'danger',
                              onChoose: () => void remove(view),
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
      )}
      <MoreButton found={found} />
      {edited !== undefined && <EditView view={edited} onClose={() => setEdited(undefined)} />}
    </SettingsFrame>
  );
}

const names = ['svc_name'] as const;

function EditView({ view, onClose }: { readonly view: Row; readonly onClose: () => void }) {
  const type = useType('svc_view');
  const write = useWrite();
  const before: Values = { svc_name: textOf(view, 'svc_name') };
  const [values, setTyped] = useState(before);
  const save = async () => {
    const changed = changedValues(before, values);
    if (Object.keys(changed).length > 0) {
      await write(
        () => api.records('svc_view').update(view.id, changed, { ifMatch: view.version }),
        settingsTexts.done(textOf(view, 'svc_name')),
      );
    }
    onClose();
  };
  return (
    <FormDialog
      title={settingsTexts.editTitle(textOf(view, 'svc_name'))}
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
          onChange={(name, value) => setTyped({ ...values, [name]: value })}
        />
      )}
    </FormDialog>
  );
}
