// The parts that linking and unlinking share: parameters, the shape of the answer, and the steps from a path to a resolved
// link.
import { Type } from 'typebox';
import { resolveLink } from '../../engine/rules/resolve-links.ts';
import type { LinkOutcome } from '../../engine/rules/write.ts';
import type { Draft } from '../../engine/unit/draft.ts';
import { type LinkRequest, madeBy, type ResolvedLink, removedBy } from '../../engine/unit/link-effect.ts';
import type { Unit } from '../../engine/unit/unit.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { DataAnswer, Input, KeyCall } from '../operation.ts';
import type { Conditions } from '../request/headers.ts';
import { associationTypeParameter, idParameter, objectTypeParameter } from '../request/parameters.ts';
import { requireGrant, requireObjectType } from './permit.ts';
import { requireRecord, runWrite } from './record-write.ts';

export const linkParameters = {
  object_type: objectTypeParameter,
  id: idParameter,
  association_type: associationTypeParameter,
  target_id: {
    description:
      "The id of the target record; for svc_record_to_user the user's id, for svc_record_to_org the org's number.",
    schema: Type.String({ minLength: 1, maxLength: 64 }),
  },
};

const EndShape = Type.Object({ object_type: Type.String(), id: Type.String() }, { $id: 'AssociationEnd' });

export const AssociationShape = Type.Object(
  {
    association_type: Type.String({ description: 'The name of the association type.' }),
    source: EndShape,
    target: EndShape,
    changed: Type.Boolean({ description: 'Whether the request changed anything; a repeated one does not.' }),
    replaced_target_id: Type.Optional(
      Type.String({ description: 'The former target, if the association type takes one target.' }),
    ),
    stage_timer_id: Type.Optional(
      Type.String({ description: 'The timer that was written because the record left a stage.' }),
    ),
  },
  { $id: 'Association' },
);

interface AssociationRequest {
  readonly type: ObjectType;
  readonly id: string;
  readonly link: LinkRequest;
  readonly conditions: Conditions;
}

export function parseAssociation(
  { session }: Pick<KeyCall, 'session'>,
  { path, conditions }: Input<keyof typeof linkParameters>,
): AssociationRequest {
  const type = requireObjectType(session, path.object_type);
  requireGrant(type, 'associate');
  const link = { associationType: path.association_type, target: path.target_id };
  return { type, id: path.id, link, conditions };
}

type Rule = (unit: Unit, draft: Draft, link: ResolvedLink) => Promise<LinkOutcome>;

/** Runs the rule on the link in a transaction. Both ends are checked before anything is written. */
export async function writeAssociation(
  call: KeyCall,
  { type, id, link, conditions }: AssociationRequest,
  rule: Rule,
): Promise<DataAnswer> {
  return runWrite(call, { conditions, lookups: [{ type, records: [id], links: [link] }] }, async (unit) => {
    const draft = await requireRecord(unit, type, id, conditions.ifMatch);
    const resolved = await resolveLink(unit, type, link, undefined, draft.id);
    const outcome = await rule(unit, draft, resolved);
    return answerOf(call, unit, { type, draft, link: resolved }, outcome);
  });
}

/** The replaced target and the timer are included only if the caller can see them. */
async function answerOf(
  { session }: KeyCall,
  unit: Unit,
  { type, draft, link }: { readonly type: ObjectType; readonly draft: Draft; readonly link: ResolvedLink },
  { effects, timers }: LinkOutcome,
): Promise<DataAnswer> {
  const { pair, targetId } = link;
  const made = effects.some((effect) => madeBy(effect) !== undefined);
  const [replaced] = made ? effects.flatMap((effect) => removedBy(effect) ?? []) : [];
  const formerType = replaced && session.catalog.objectTypes.get(replaced.pair.targetType);
  const seen =
    replaced && formerType && (await unit.records.typeOfLive([formerType.id], replaced.targetId)) !== undefined;
  const timer = session.catalog.objectTypes.has('svc_stage_timer') ? timers[0] : undefined;
  const data = {
    association_type: pair.name,
    source: { object_type: type.name, id: draft.id },
    target: { object_type: pair.targetType, id: targetId },
    changed: effects.length > 0,
    ...(replaced !== undefined && seen ? { replaced_target_id: replaced.targetId } : {}),
    ...(timer === undefined ? {} : { stage_timer_id: timer.id }),
  };
  return { data };
}
