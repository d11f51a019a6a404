// The whole story of the demo, in the order in which it happened. It depends on nothing but the week of the first start.

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
  /** When the org was made. */
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
  // Sorting keeps the order of what happened at the same moment and in the same way, such as a company and its contacts.
  steps.sort((left, right) => left.atMs - right.atMs || placeOf(left) - placeOf(right));
  return { begunAtMs: calendar.moment(firstWorkday - 0.05), steps: withoutRepeats(steps) };
}

/** In the evening: what people did themselves, then what other systems have, and what is linked to before what links. */
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

/** What another system has by the evening comes in once, as it is then. */
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
