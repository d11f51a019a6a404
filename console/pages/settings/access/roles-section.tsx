// The roles of the org: what the members who have one may do.
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { Value } from '../../../../client/main.ts';
import { paths } from '../../../app/routes.ts';
import { api } from '../../../data/api.ts';
import type { Row } from '../../../data/paged-rows.ts';
import { useCatalog, useType } from '../../../data/schema.ts';
import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { Problem } from '../../../parts/values/value-editor.tsx';
import { keyTexts } from '../../../text/key-texts.ts';
import { settingsTexts } from '../../../text/settings-texts.ts';
import { texts } from '../../../text/texts.ts';
import { type Grants, readGrants, writeGrants } from '../grants/grants.ts';
import { GrantsPreview } from '../grants/grants-preview.tsx';
import { GrantsTable } from '../grants/grants-table.tsx';
import { CheckedDialog } from '../parts/checked-dialog.tsx';
import { SettingsFrame, Table } from '../parts/frame.tsx';
import { textOf, useMay, usePlatform, useWrite } from '../parts/platform.ts';
import { faultyNames } from '../parts/record-fields.tsx';
import { RowMenu } from '../parts/row-menu.tsx';
import { NameField, ReachField } from './key-fields.tsx';
import { administrator } from './known.ts';
import { changedGrants, textsOf } from './stored-grants.ts';

/** The page of a role, that of a new one, or the list. */
export function RolesSection({ id }: { readonly id: string | undefined }) {
  const roles = usePlatform('svc_role', { sort: [{ property: 'svc_name', direction: 'asc' }] });
  if (id === undefined) return <RoleList roles={roles} />;
  const found = roles.find((role) => role.id === id);
  if (id !== 'new' && found === undefined) {
    return (
      <p className="note-box settings-body" role="alert">
        {texts.noRecord}
      </p>
    );
  }
  return <RolePage found={found} />;
}

function RoleList({ roles }: { readonly roles: readonly Row[] }) {
  const type = useType('svc_role');
  const may = useMay();
  const write = useWrite();
  const [leaving, setLeaving] = useState<Row>();
  const name = leaving === undefined ? '' : textOf(leaving, 'svc_name');
  return (
    <SettingsFrame
      title={settingsTexts.roles}
      actions={
        may('svc_role', 'create') && (
          <Link href={paths.settings('roles', 'new')} className="button primary">
            <Icon name="plus" />
            {keyTexts.newRole}
          </Link>
        )
      }
    >
      <p className="settings-intro">{keyTexts.rolesIntro}</p>
      <Table
        label={type.plural_label}
        heads={[
          { label: settingsTexts.name },
          { label: type.byName.get('svc_reach')?.label ?? keyTexts.reach },
          { label: texts.actions, look: 'hidden' },
        ]}
      >
        {roles.map((role) => (
          <tr key={role.id}>
            <th scope="row">
              <span className="cell-line">
                <Link href={paths.settings('roles', role.id)} className="row-title">
                  {textOf(role, 'svc_name')}
                </Link>
                {textOf(role, 'svc_name') === administrator && <span className="tag">{settingsTexts.builtIn}</span>}
              </span>
            </th>
            <td>{textOf(role, 'svc_reach') === 'org' ? keyTexts.seesAll : keyTexts.seesShared}</td>
            <td className="end">
              <RowMenu
                title={textOf(role, 'svc_name')}
                actions={
                  may('svc_role', 'delete') && textOf(role, 'svc_name') !== administrator
                    ? [
                        {
                          label: settingsTexts.delete,
                          icon: 'trash',
                          look: 'danger',
                          onChoose: () => setLeaving(role),
                        },
                      ]
                    : []
                }
              />
            </td>
          </tr>
        ))}
      </Table>
      {leaving !== undefined && (
        <CheckedDialog
          title={settingsTexts.deleteTitle(name)}
          text={() => settingsTexts.toTrash}
          confirm={settingsTexts.delete}
          check={() => api.records('svc_role').delete(leaving.id, { dryRun: true })}
          run={() => write(() => api.records('svc_role').delete(leaving.id), settingsTexts.deletedTitle(name))}
          wayOf={(reason) =>
            reason === 'role_in_use' && may('svc_member') ? (
              <Link href={paths.settings('members')} className="link">
                {settingsTexts.ways.role_in_use}
              </Link>
            ) : undefined
          }
          onClose={() => setLeaving(undefined)}
        />
      )}
    </SettingsFrame>
  );
}

function RolePage({ found }: { readonly found: Row | undefined }) {
  const may = useMay();
  const { self } = useCatalog();
  const type = useType('svc_role');
  const write = useWrite();
  const [, go] = useLocation();
  const [name, setName] = useState(found === undefined ? '' : textOf(found, 'svc_name'));
  const [reach, setReach] = useState(found === undefined ? self.reach : textOf(found, 'svc_reach'));
  const [grants, setGrants] = useState<Grants>(() => readGrants(textsOf(found)));
  const [state, setState] = useState<{ readonly isSaving: boolean; readonly error?: unknown }>({ isSaving: false });
  const isBuiltIn = found !== undefined && textOf(found, 'svc_name') === administrator;
  const mayWrite = may('svc_role', found === undefined ? 'create' : 'update') && !isBuiltIn;
  const save = async () => {
    setState({ isSaving: true });
    const properties: Record<string, Value> = {
      svc_name: name.trim(),
      svc_reach: reach,
      ...changedGrants(found, grants),
    };
    const records = api.records('svc_role');
    try {
      const store = () => (found === undefined ? records.create(properties) : records.update(found.id, properties));
      await write(store, settingsTexts.done(name));
      go(paths.settings('roles'));
    } catch (error) {
      setState({ isSaving: false, error });
    }
  };
  return (
    <SettingsFrame
      title={found === undefined ? keyTexts.newRole : textOf(found, 'svc_name')}
      above={[{ label: settingsTexts.roles, href: paths.settings('roles') }]}
      actions={
        mayWrite && (
          <>
            <Button onClick={() => go(paths.settings('roles'))}>{texts.cancel}</Button>
            <Button
              look="primary"
              className="in-words"
              disabled={state.isSaving || name.trim() === '' || writeGrants(grants).length === 0}
              onClick={() => void save()}
            >
              {state.isSaving ? texts.saving : found === undefined ? keyTexts.makeRole : texts.save}
            </Button>
          </>
        )
      }
      beside={<GrantsPreview grants={grants} what="role" />}
    >
      {isBuiltIn && <p className="settings-intro">{keyTexts.builtInRole}</p>}
      {state.error !== undefined && (
        <div className="settings-problem">
          <Problem error={state.error} />
        </div>
      )}
      <div className="key-fields">
        <NameField
          value={name}
          isFaulty={faultyNames(state.error).has('svc_name')}
          isReadOnly={!mayWrite}
          onChange={setName}
        />
        <ReachField
          property={type.byName.get('svc_reach')}
          value={reach}
          isFixed={!mayWrite || self.reach === 'user'}
          onChange={setReach}
        />
      </div>
      <GrantsTable grants={grants} onChange={mayWrite ? setGrants : undefined} />
    </SettingsFrame>
  );
}
