// The access keys of the org: what each is for, when it was last used and when it ends; a new one, and the secret that is shown once.
import { useState } from 'react';
import { Link } from 'wouter';
import { paths } from '../../../app/routes.ts';
import { api } from '../../../data/api.ts';
import type { Row } from '../../../data/paged-rows.ts';
import { useType } from '../../../data/schema.ts';
import { Icon } from '../../../parts/icon.tsx';
import { keyTexts } from '../../../text/key-texts.ts';
import { momentText } from '../../../text/locale.ts';
import { settingsTexts } from '../../../text/settings-texts.ts';
import { texts } from '../../../text/texts.ts';
import { CheckedDialog } from '../parts/checked-dialog.tsx';
import { Empty, SettingsFrame, Table } from '../parts/frame.tsx';
import { linkedTo, textOf, useMay, usePlatform, useWrite } from '../parts/platform.ts';
import { type RowAction, RowMenu } from '../parts/row-menu.tsx';
import { KeyPage } from './key-page.tsx';
import { keyLink } from './known.ts';
import { RotateDialog, SecretDialog } from './secret-dialog.tsx';

/** The page of a key, that of a new one, or the list. */
export function KeysSection({ id }: { readonly id: string | undefined }) {
  const may = useMay();
  const keys = usePlatform('svc_access_key', {
    sort: [{ property: 'svc_created_at', direction: 'desc' }],
    ...(may('svc_member') ? { include: [keyLink] } : {}),
  });
  if (id === undefined) return <KeyList keys={keys} />;
  const found = keys.find((key) => key.id === id);
  if (id !== 'new' && found === undefined) {
    return (
      <p className="note-box settings-body" role="alert">
        {texts.noRecord}
      </p>
    );
  }
  return <KeyPage found={found} />;
}

type Open =
  | { readonly kind: 'rotate' | 'revoke'; readonly key: Row }
  | { readonly kind: 'secret'; readonly secret: string; readonly name: string };

function KeyList({ keys }: { readonly keys: readonly Row[] }) {
  const type = useType('svc_access_key');
  const may = useMay();
  const write = useWrite();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const sees = (name: string) => type.byName.has(name);
  const actionsOf = (key: Row): readonly RowAction[] => [
    ...(may('svc_access_key', 'update') && sees('svc_rotation')
      ? [{ label: keyTexts.rotate, icon: 'undo', onChoose: () => setOpen({ kind: 'rotate', key }) } as const]
      : []),
    ...(may('svc_access_key', 'delete')
      ? [
          {
            label: keyTexts.revoke,
            icon: 'trash',
            look: 'danger',
            onChoose: () => setOpen({ kind: 'revoke', key }),
          } as const,
        ]
      : []),
  ];
  return (
    <SettingsFrame
      title={settingsTexts.keys}
      actions={
        may('svc_access_key', 'create') && (
          <Link href={paths.settings('keys', 'new')} className="button primary">
            <Icon name="plus" />
            {keyTexts.newKey}
          </Link>
        )
      }
    >
      <p className="settings-intro">{keyTexts.intro}</p>
      {keys.length === 0 ? (
        <Empty text={keyTexts.noKeys} />
      ) : (
        <Table
          label={type.plural_label}
          heads={[
            { label: settingsTexts.name },
            { label: keyTexts.keyId, look: 'wide' },
            { label: keyTexts.actsFor, look: 'wide' },
            { label: keyTexts.lastUsed },
            { label: keyTexts.ends, look: 'wide' },
            { label: texts.actions, look: 'hidden' },
          ]}
        >
          {keys.map((key) => (
            <KeyLine key={key.id} record={key} actions={actionsOf(key)} />
          ))}
        </Table>
      )}
      {open?.kind === 'rotate' && (
        <RotateDialog
          record={open.key}
          type={type}
          onClose={close}
          onSecret={(secret) => setOpen({ kind: 'secret', secret, name: textOf(open.key, 'svc_name') })}
        />
      )}
      {open?.kind === 'revoke' && (
        <CheckedDialog
          title={keyTexts.revokeTitle(textOf(open.key, 'svc_name'))}
          text={() => keyTexts.revokeText}
          confirm={keyTexts.revoke}
          check={() => api.records('svc_access_key').delete(open.key.id, { dryRun: true })}
          run={() =>
            write(
              () => api.records('svc_access_key').delete(open.key.id),
              keyTexts.revoked(textOf(open.key, 'svc_name')),
              'final',
            )
          }
          onClose={close}
        />
      )}
      {open?.kind === 'secret' && <SecretDialog name={open.name} secret={open.secret} onClose={close} />}
    </SettingsFrame>
  );
}

function KeyLine({ record, actions }: { readonly record: Row; readonly actions: readonly RowAction[] }) {
  const name = textOf(record, 'svc_name') || texts.noName;
  const [used, ends] = [textOf(record, 'svc_last_used_at'), textOf(record, 'svc_expires_at')];
  const member = linkedTo(record, keyLink)?.properties?.['svc_name'];
  const isOver = ends !== '' && Date.parse(ends) < Date.now();
  return (
    <tr>
      <th scope="row">
        <Link href={paths.settings('keys', record.id)} className="row-title" title={name}>
          {name}
        </Link>
      </th>
      <td className="wide mono">{textOf(record, 'svc_key_id')}</td>
      <td className="wide">
        {typeof member === 'string' ? (
          member
        ) : (
          <span className="quiet">{textOf(record, 'svc_reach') === 'user' ? '' : texts.wholeOrg}</span>
        )}
      </td>
      <td className="figures">
        {used === '' ? <span className="quiet">{keyTexts.never}</span> : <time>{momentText(used)}</time>}
      </td>
      <td className="wide figures">
        {ends === '' ? (
          <span className="quiet">{keyTexts.never}</span>
        ) : (
          <time className={isOver ? 'late' : undefined}>{momentText(ends)}</time>
        )}
      </td>
      <td className="end">
        <RowMenu title={name} actions={actions} />
      </td>
    </tr>
  );
}
