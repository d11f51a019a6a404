// All steps of the demo in the order in which they happened. They depend only on the week of the first start.
import { activitySteps } from './activities.ts';
import { openCalendar } from './calendar.ts';
import { accounts, firstWorkday } from './cast.ts';
import { dealSteps, pipelineSteps } from './deals.ts';
import { noteSteps } from './notes.ts';
import { relationSteps } from './relations.ts';
import type { Step } from './step.ts';
import { riskSteps, subscriptionSteps } from './subscriptions.ts';
import { webSteps } from './web.ts';

export interface Story {
  /** When the org was created. */
  readonly begunAtMs: number;
  readonly steps: readonly Step[];
}

export function tellStory(nowMs: number): Story {
  const calendar = openCalendar(nowMs);
  const steps = [
    ...pipelineSteps(calendar),
    ...relationSteps(accounts, calendar),
    ...dealSteps(accounts, calendar),
    ...subscriptionSteps(accounts, calendar),
    ...activitySteps(accounts, calendar),
    ...noteSteps(accounts, calendar),
    ...webSteps(accounts, calendar),
    ...riskSteps(accounts, calendar),
  ];
  // The sort is stable: steps of the same moment and kind keep their order, such as a company before its contacts.
  steps.sort((left, right) => left.atMs - right.atMs || placeOf(left) - placeOf(right));
  return { begunAtMs: calendar.moment(firstWorkday - 0.05), steps: withoutRepeats(steps) };
}

/** At the same moment, operations come before lines of other systems, and a record before those that link to it. */
const eveningOrder = [
  'svc_company',
  'svc_meeting',
  'svc_meeting_notes',
  'svc_email_thread',
  'svc_web_visitor',
  'svc_web_visit',
  'svc_risk',
];

function placeOf(step: Step): number {
  return 'line' in step ? eveningOrder.indexOf(step.objectType) : -1;
}

/** A record that changed more than once before an evening comes in once, as it is then. */
function withoutRepeats(steps: readonly Step[]): readonly Step[] {
  const latest = new Map<string, number>();
  const kept: Step[] = [];
  for (const step of steps) {
    const key = 'line' in step ? `${step.atMs}/${step.objectType}/${step.line.external_id ?? kept.length}` : '';
    const index = latest.get(key);
    const earlier = index === undefined ? undefined : kept[index];
    if (index !== undefined && earlier !== undefined && 'line' in earlier && 'line' in step) {
      const properties = { ...earlier.line.properties, ...step.line.properties };
      kept[index] = { ...step, line: { ...earlier.line, ...step.line, properties } };
    } else {
      if (key !== '') latest.set(key, kept.length);
      kept.push(step);
    }
  }
  return kept;
}
