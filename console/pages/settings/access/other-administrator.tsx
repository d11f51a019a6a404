// The last administrator stays one: the way to change that is to make somebody else one first.
import type { Row } from '../../../data/paged-rows.ts';
import { Button } from '../../../parts/button.tsx';
import { peopleTexts } from '../../../text/people-texts.ts';
import { isTrue, textOf } from '../parts/platform.ts';

/** As many as are offered by name: everybody else is in the table behind. */
const namedMost = 3;

interface Props {
  readonly others: readonly Row[];
  readonly onMember: (member: Row) => void;
  readonly onAdd: (() => void) | undefined;
}

export function OtherAdministrator({ others, onMember, onAdd }: Props) {
  const named = others.filter((member) => isTrue(member, 'svc_active')).slice(0, namedMost);
  return (
    <span className="ways">
      {named.map((member) => (
        <Button key={member.id} size="small" onClick={() => onMember(member)}>
          {peopleTexts.changeRoleOf(textOf(member, 'svc_name'))}
        </Button>
      ))}
      {onAdd !== undefined && (
        <Button size="small" onClick={onAdd}>
          {peopleTexts.addColleague}
        </Button>
      )}
    </span>
  );
}
