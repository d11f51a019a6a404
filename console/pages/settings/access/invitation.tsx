// The link with which somebody signs in for the first time, or chooses a new password. There is no mail: it is handed over.
import { auth, type Invitation } from '../../../app/auth.ts';
import { bearer } from '../../../app/session.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { momentText } from '../../../text/locale.ts';
import { peopleTexts } from '../../../text/people-texts.ts';
import { texts } from '../../../text/texts.ts';
import { Copyable } from '../parts/copy.tsx';

export async function makeInvitation(memberId: string): Promise<Invitation> {
  return auth.invite(await bearer(), memberId);
}

interface Props {
  readonly member: string;
  readonly invitation: Invitation;
  readonly onClose: () => void;
}

export function InvitationDialog({ member, invitation, onClose }: Props) {
  return (
    <Dialog title={peopleTexts.linkFor(member)} onClose={onClose}>
      <div className="form-scroll">
        <p>{peopleTexts.handOver(member)}</p>
        <Copyable label={peopleTexts.link} text={invitation.link} />
        <p className="quiet">{peopleTexts.worksUntil(momentText(invitation.expires_at))}</p>
      </div>
      <footer className="dialog-foot">
        <Button onClick={onClose}>{texts.close}</Button>
      </footer>
    </Dialog>
  );
}
