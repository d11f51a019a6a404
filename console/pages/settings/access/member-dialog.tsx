// Adds a colleague, with a link to come in, or changes one.
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { OrreryProblem } from '../../../../client/main.ts';
import type { Invitation } from '../../../app/auth.ts';
import { api } from '../../../data/api.ts';
import type { Row } from '../../../data/paged-rows.ts';
import type { TypeDetail } from '../../../data/schema.ts';
import { Problem } from '../../../parts/values/value-editor.tsx';
import { peopleTexts } from '../../../text/people-texts.ts';
import { settingsTexts } from '../../../text/settings-texts.ts';
import { texts } from '../../../text/texts.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { linkedTo, textOf, useMay, usePlatform, useWrite } from '../parts/platform.ts';
import { changedValues, RecordFields, setValues, type Values } from '../parts/record-fields.tsx';
import { makeInvitation } from './invitation.tsx';
import { administrator, roleLink } from './known.ts';

interface Props {
  readonly type: TypeDetail;
  /** Undefined for a new one. */
  readonly member?: Row;
  /** How somebody else becomes an administrator first. */
  readonly way?: ReactNode;
  readonly onClose: () => void;
  readonly onInvited?: (made: { readonly member: string; readonly invitation: Invitation }) => void;
}

const names = ['svc_name', 'svc_email'] as const;

export function MemberDialog(props: Props) {
  const may = useMay();
  const hasRoles = may('svc_role') && may('svc_member', 'associate');
  return hasRoles ? <WithRoles {...props} /> : <Form {...props} roles={[]} />;
}

function WithRoles(props: Props) {
  return <Form {...props} roles={usePlatform('svc_role', { sort: [{ property: 'svc_name', direction: 'asc' }] })} />;
}

function Form({ type, member, way, onClose, onInvited, roles }: Props & { readonly roles: readonly Row[] }) {
  const before: Values = Object.fromEntries(names.map((name) => [name, member && (textOf(member, name) || undefined)]));
  const roleBefore = member === undefined ? undefined : linkedTo(member, roleLink)?.id;
  const [values, setValuesTyped] = useState(before);
  const [role, setRole] = useState(roleBefore ?? roles.find(isUsual)?.id ?? '');
  const refusal = useRefusal(member?.id, role === roleBefore ? '' : role);
  const isNew = member === undefined;
  const write = useWrite();
  const name = typeof values['svc_name'] === 'string' ? values['svc_name'] : '';
  const add = async () => {
    const associations = role === '' ? {} : { associations: [{ association_type: roleLink, target_id: role }] };
    const made = await write(
      () => api.records('svc_member').create(setValues(values), associations),
      peopleTexts.added(name),
    );
    // Without a role nobody can sign in, so there is no link.
    if (role === '') onClose();
    else onInvited?.({ member: name, invitation: await makeInvitation(made.data.id) });
  };
  const change = async (changed: Row) => {
    const update = { operation: 'update', object_type: 'svc_member', id: changed.id } as const;
    const properties = changedValues(before, values);
    const link = { object_type: 'svc_member', id: changed.id, association_type: roleLink } as const;
    const operations = [
      ...(Object.keys(properties).length === 0 ? [] : [{ ...update, properties }]),
      ...(role === '' || role === roleBefore ? [] : [{ ...link, operation: 'associate', target_id: role } as const]),
    ];
    if (operations.length > 0) await write(() => api.batch(operations, { atomic: true }), settingsTexts.done(name));
    onClose();
  };
  return (
    <FormDialog
      title={member === undefined ? peopleTexts.addColleague : settingsTexts.editTitle(textOf(member, 'svc_name'))}
      submit={member === undefined ? peopleTexts.addAndLink : texts.save}
      own={names}
      isDisabled={isNew && type.byName.get('svc_email')?.read_only === false && !values['svc_email']}
      onSubmit={() => (member === undefined ? add() : change(member))}
      onClose={onClose}
    >
      {(error) => (
        <>
          <RecordFields
            type={type}
            names={names}
            needed={isNew ? ['svc_email'] : []}
            values={values}
            error={error}
            onChange={(changed, value) => setValuesTyped({ ...values, [changed]: value })}
          />
          {roles.length > 0 && <RoleChoice roles={roles} chosen={role} isNew={isNew} onChoose={setRole} />}
          {error === undefined && refusal !== null && (
            <>
              <Problem error={refusal} />
              {refusal instanceof OrreryProblem && refusal.reason === 'last_administrator' && way}
            </>
          )}
        </>
      )}
    </FormDialog>
  );
}

/** Whether the role would be refused is known before anybody saves. */
function useRefusal(id: string | undefined, role: string): Error | null {
  const { error } = useQuery({
    queryKey: ['dry-run', 'role', id, role],
    queryFn: () =>
      api.batch(
        [
          {
            operation: 'associate',
            object_type: 'svc_member',
            id: id ?? '',
            association_type: roleLink,
            target_id: role,
          },
        ],
        { atomic: true, dryRun: true },
      ),
    enabled: id !== undefined && role !== '',
    gcTime: 0,
    staleTime: 0,
    retry: false,
    throwOnError: false,
  });
  return id === undefined || role === '' ? null : error;
}

/** The role that most colleagues get. */
function isUsual(role: Row): boolean {
  return textOf(role, 'svc_name') === 'Member';
}

function RoleChoice({
  roles,
  chosen,
  isNew,
  onChoose,
}: {
  readonly roles: readonly Row[];
  readonly chosen: string;
  readonly isNew: boolean;
  readonly onChoose: (id: string) => void;
}) {
  return (
    <fieldset className="role-choice">
      <legend className="label">{texts.role}</legend>
      {chosen === '' && !isNew && <p className="quiet">{peopleTexts.noRoleHelp}</p>}
      {roles.map((role) => {
        const name = textOf(role, 'svc_name');
        return (
          <label key={role.id} className="choice">
            <input type="radio" name="role" checked={chosen === role.id} onChange={() => onChoose(role.id)} />
            <span>
              {name}
              <span className="quiet">
                {` ${name === administrator ? peopleTexts.roleAdministrator : peopleTexts.reaches[textOf(role, 'svc_reach') === 'org' ? 'org' : 'user']}`}
              </span>
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}
