// The members of the org: who they are, what their role is, and the link with which they come in.
import { useState } from 'react';
import type { Invitation } from '../../../app/auth.ts';
import { api } from '../../../data/api.ts';
import type { Row } from '../../../data/paged-rows.ts';
import { useCatalog, useType } from '../../../data/schema.ts';
import { Avatar } from '../../../parts/avatar.tsx';
import { Button } from '../../../parts/button.tsx';
import { messages } from '../../../parts/toasts.tsx';
import { momentText } from '../../../text/locale.ts';
import { peopleTexts } from '../../../text/people-texts.ts';
import { settingsTexts } from '../../../text/settings-texts.ts';
import { texts } from '../../../text/texts.ts';
import { SettingsFrame, Table } from '../parts/frame.tsx';
import { isTrue, linkedTo, textOf, useFresh, useMay, usePlatform, useWrite } from '../parts/platform.ts';
import { type RowAction, RowMenu } from '../parts/row-menu.tsx';
import { InvitationDialog, makeInvitation } from './invitation.tsx';
import { roleLink } from './known.ts';
import { LeavingDialog } from './leaving-dialog.tsx';
import { MemberDialog } from './member-dialog.tsx';
import { OtherAdministrator } from './other-administrator.tsx';

interface Made {
  readonly member: string;
  readonly invitation: Invitation;
}

type Open =
  | { readonly kind: 'add' }
  | { readonly kind: 'edit' | 'deactivate' | 'delete'; readonly member: Row }
  | { readonly kind: 'invited'; readonly made: Made };

export function MembersSection() {
  const { self } = useCatalog();
  const may = useMay();
  const type = useType('svc_member');
  const seesRoles = may('svc_role');
  useFresh(seesRoles ? ['svc_role'] : []);
  const members = usePlatform('svc_member', {
    sort: [{ property: 'svc_name', direction: 'asc' }],
    ...(seesRoles ? { include: [roleLink] } : {}),
  });
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const sees = (name: string) => type.byName.has(name);
  const actionsOf = useMemberActions(setOpen);
  const mayAdd = may('svc_member', 'create');
  const wayFor = (leaving: Row) => (
    <OtherAdministrator
      others={may('svc_member', 'associate') ? members.filter(({ id }) => id !== leaving.id) : []}
      onMember={(member) => setOpen({ kind: 'edit', member })}
      onAdd={mayAdd ? () => setOpen({ kind: 'add' }) : undefined}
    />
  );
  return (
    <SettingsFrame
      title={settingsTexts.members}
      actions={
        mayAdd && (
          <Button look="primary" icon="plus" onClick={() => setOpen({ kind: 'add' })}>
            {peopleTexts.addColleague}
          </Button>
        )
      }
    >
      <p className="settings-intro">{peopleTexts.membersIntro}</p>
      <Table
        label={type.plural_label}
        heads={[
          { label: settingsTexts.name },
          ...(sees('svc_email') ? [{ label: texts.email, look: 'wide' } as const] : []),
          ...(seesRoles ? [{ label: texts.role } as const] : []),
          ...(sees('svc_last_seen_at') ? [{ label: peopleTexts.lastSeen, look: 'wide' } as const] : []),
          { label: texts.actions, look: 'hidden' },
        ]}
      >
        {members.map((member) => {
          const name = textOf(member, 'svc_name') || texts.noName;
          const seen = textOf(member, 'svc_last_seen_at');
          const role = linkedTo(member, roleLink)?.properties?.['svc_name'];
          return (
            <tr key={member.id}>
              <th scope="row">
                <span className="cell-line">
                  <Avatar name={name} />
                  <span className="one-line" title={name}>
                    {name}
                  </span>
                  {member.id === self.principal_id && <span className="tag">{peopleTexts.you}</span>}
                  {sees('svc_active') && !isTrue(member, 'svc_active') && (
                    <span className="tag">{peopleTexts.inactive}</span>
                  )}
                </span>
              </th>
              {sees('svc_email') && (
                <td className="wide">
                  <span className="one-line">{textOf(member, 'svc_email')}</span>
                </td>
              )}
              {seesRoles && (
                <td>{typeof role === 'string' ? role : <span className="quiet">{peopleTexts.noRole}</span>}</td>
              )}
              {sees('svc_last_seen_at') && (
                <td className="wide figures">
                  {seen === '' ? <span className="quiet">{peopleTexts.never}</span> : <time>{momentText(seen)}</time>}
                </td>
              )}
              <td className="end">
                <RowMenu title={name} actions={actionsOf(member)} />
              </td>
            </tr>
          );
        })}
      </Table>
      {open?.kind === 'add' && (
        <MemberDialog type={type} onClose={close} onInvited={(made) => setOpen({ kind: 'invited', made })} />
      )}
      {open?.kind === 'edit' && (
        <MemberDialog key={open.member.id} type={type} member={open.member} way={wayFor(open.member)} onClose={close} />
      )}
      {(open?.kind === 'deactivate' || open?.kind === 'delete') && (
        <LeavingDialog kind={open.kind} member={open.member} way={wayFor(open.member)} onClose={close} />
      )}
      {open?.kind === 'invited' && <InvitationDialog {...open.made} onClose={close} />}
    </SettingsFrame>
  );
}

/** What can be done with a member, as far as the caller may. */
function useMemberActions(open: (what: Open) => void): (member: Row) => readonly RowAction[] {
  const may = useMay();
  const write = useWrite();
  const invite = async (member: Row) => {
    try {
      const invitation = await makeInvitation(member.id);
      open({ kind: 'invited', made: { member: textOf(member, 'svc_name'), invitation } });
    } catch (error) {
      messages.failed(error);
    }
  };
  const activate = (member: Row) =>
    write(
      () => api.records('svc_member').update(member.id, { svc_active: true }),
      peopleTexts.activated(textOf(member, 'svc_name')),
    ).catch(messages.failed);
  return (member) => {
    const isActive = isTrue(member, 'svc_active');
    const changes: readonly RowAction[] = [
      { label: settingsTexts.edit, icon: 'edit', onChoose: () => open({ kind: 'edit', member }) },
      ...(isActive
        ? [{ label: peopleTexts.makeLink, icon: 'link', onChoose: () => void invite(member) } as const]
        : []),
      isActive
        ? { label: peopleTexts.deactivate, icon: 'lock', onChoose: () => open({ kind: 'deactivate', member }) }
        : { label: peopleTexts.activate, icon: 'check', onChoose: () => void activate(member) },
    ];
    return [
      ...(may('svc_member', 'update') ? changes : []),
      ...(may('svc_member', 'delete')
        ? [
            {
              label: settingsTexts.delete,
              icon: 'trash',
              look: 'danger',
              onChoose: () => open({ kind: 'delete', member }),
            } as const,
          ]
        : []),
    ];
  };
}
