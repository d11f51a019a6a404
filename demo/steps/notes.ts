// Notes and tasks around the deals of the demo. A task has a due date and moves through the stages: old ones are complete,
// recent ones are in progress or still to do.

import { notes } from '../story/texts.ts';
import type { Calendar } from './calendar.ts';
import { type Account, type PlayedDeal, worded } from './cast.ts';
import { Random } from './random.ts';
import { associate, create, link, type Step, stageAs } from './step.ts';

const stageType = 'svc_note_pipeline_stage';

export function noteSteps(accounts: readonly Account[], calendar: Calendar): readonly Step[] {
  return accounts.flatMap((account) =>
    account.deals.flatMap((deal) => {
      const random = new Random(`notes of ${deal.key}`);
      const written = random.some(notes, deal.outcome === 'open' ? 3 : 2);
      return written.flatMap((note, index) =>
        stepsOf(account, deal, note, `note/${deal.key}/${index}`, calendar, random),
      );
    }),
  );
}

function stepsOf(
  account: Account,
  deal: PlayedDeal,
  { title, body, priority, task }: (typeof notes)[number],
  ref: string,
  calendar: Calendar,
  random: Random,
): readonly Step[] {
  const [member] = deal.members;
  const wroteAgo = random.between(deal.until, deal.from);
  const dueAgo = wroteAgo - random.between(1, 9);
  const written = create(
    calendar.moment(wroteAgo),
    'svc_note',
    ref,
    {
      svc_title: worded(title, account, deal),
      svc_body: worded(body, account, deal),
      svc_priority: priority,
      ...(task ? { svc_due_at: calendar.appointment(dueAgo) } : {}),
    },
    [
      link('svc_note_to_deal', deal.ref),
      link('svc_note_to_company', account.ref),
      link('svc_note_to_contact', member.ref),
    ],
  );
  const move = (workdaysAgo: number, status: string) =>
    associate(
      calendar.moment(workdaysAgo),
      'svc_note',
      ref,
      link('svc_note_to_note_pipeline_stage', stageAs(stageType, status)),
    );
  if (!task || wroteAgo < 2) return [written];
  const takenUpAgo = Math.max(0.3, wroteAgo - random.between(0.2, 5));
  const takenUp = move(takenUpAgo, 'In Progress');
  if (wroteAgo < 8 && random.chance(0.6)) return [written, takenUp];
  return [written, takenUp, move(Math.max(0.1, takenUpAgo - random.between(0.2, 4)), 'Complete')];
}
