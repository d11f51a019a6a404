// A member leaves, for now or for good. That the last administrator cannot is said before the click.
import type { ReactNode } from 'react';
import { api } from '../../../data/api.ts';
import type { Row } from '../../../data/paged-rows.ts';
import { peopleTexts } from '../../../text/people-texts.ts';
import { settingsTexts } from '../../../text/settings-texts.ts';
import { CheckedDialog } from '../parts/checked-dialog.tsx';
import { textOf, useWrite } from '../parts/platform.ts';

interface Props {
  readonly kind: 'deactivate' | 'delete';
  readonly member: Row;
  /** How somebody else becomes an administrator first. */
  readonly way: ReactNode;
  readonly onClose: () => void;
}

export function LeavingDialog({ kind, member, way, onClose }: Props) {
  const write = useWrite();
  const name = textOf(member, 'svc_name');
  const isForGood = kind === 'delete';
  const records = api.records('svc_member');
  const leave = (dryRun: boolean): Promise<{ readonly requestId: string }> =>
    isForGood ? records.delete(member.id, { dryRun }) : records.update(member.id, { svc_active: false }, { dryRun });
  return (
    <CheckedDialog
      title={isForGood ? settingsTexts.deleteTitle(name) : peopleTexts.deactivateTitle(name)}
      text={() => (isForGood ? peopleTexts.deleteText : peopleTexts.deactivateText)}
      confirm={isForGood ? settingsTexts.delete : peopleTexts.deactivate}
      check={() => leave(true)}
      run={() =>
        write(() => leave(false), isForGood ? settingsTexts.deletedTitle(name) : peopleTexts.deactivated(name))
      }
      wayOf={(reason) => (reason === 'last_administrator' ? way : undefined)}
      onClose={onClose}
    />
  );
}
