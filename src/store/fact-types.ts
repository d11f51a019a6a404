// What PostgreSQL calls each kind of fact.
import type { FactKind } from '../schema/slots.ts';

export const factTypes = {
  text: 'text',
  number: 'numeric',
  moment: 'timestamptz',
  day: 'date',
} as const satisfies Record<FactKind, string>;
