// What making and taking away a link share: parameters, the answer's shape, and the way from a path to a resolved link.
import { Type } from 'typebox';
import { resolveLink } from '../../engine/rules/link.ts';
import type { ResolvedLink } from '../../engine/rules/link-effect.ts';
import type { LinkOutcome } from '../../engine/rules/write.ts';
import type { Draft } from '../../engine/unit/draft.ts';
import type { Unit } from '../../engine/unit/unit.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { DataAnswer, Input, KeyCall } from '../operation.ts';
import type { Parameter } from '../request/parameter.ts';
import { idParameter } from '../shapes/record.ts';
import { objectTypeParameter } from '../shapes/shapes.ts';
import { requireGrant, requireObjectType } from './permit.ts';
import { requireRecord, runWrite } from './record-write.ts';

export const associationTypeParameter: Parameter = {
  description:
    'The name of an association type of the object type, as `GET /objects/{object_type}/associations/` lists it.',
  schema: Type.String({ minLength: 1, maxLength: 63 }),
};

export const linkParameters: Readonly<Record<string, Parameter>> = {
  object_type: objectTypeParameter,
  id: idParameter,
  association_type: associationTypeParameter,
  target_id: {
    description:
      "The target record's id; the user's id for svc_record_to_user, the org's number for svc_record_to_org.",
    schema: Type.String({ minLength: 1, maxLength: 64 }),
  },
};

const EndShape = Type.Object({ object_type: Type.String(), id: Type.String() }, { $id: 'AssociationEnd' });

export const AssociationShape = Type.Object(
  {
    association_type: Type.String({ description: 'The name of the association type.' }),
    source: EndShape,
    target: EndShape,
    changed: Type.Boolean({ description: 'Whether the request changed anything; repeated, it does not.' }),
    replaced_target_id: Type.Optional(
      Type.String({ description: 'The former target, where the association type takes one target.' }),
    ),
    stage_timer_id: Type.Optional(
      Type.String({ description: 'The timer that was written because the record left a stage.' }),
    ),
  },
  { $id: 'Association' },
);

type Rule = (unit: Unit, draft: Draft, link: ResolvedLink) => Promise<LinkOutcome>;

/** Runs the rule on the link that the path names, in a transaction. Both ends are checked before anything is written. */
export async function writeAssociation(call: KeyCall, { path, conditions }: Input, rule: Rule): Promise<DataAnswer> {
  const type = requireObjectType(call.session, path['object_type'] ?? '');
  requireGrant(type, 'associate');
  const request = { associationType: path['association_type'] ?? '', targetId: path['target_id'] ?? '' };
  return runWrite(call, conditions, async (unit) => {
    const draft = await requireRecord(unit, type, path['id'] ?? '', conditions.ifMatch);
    const link = await resolveLink(unit, type, request);
    const outcome = await rule(unit, draft, link);
    return answerOf(call, unit, { type, draft, link }, outcome);
  });
}

/** What was replaced, and a timer, are told to those who can see them. */
async function answerOf(
  { session }: KeyCall,
  unit: Unit,
  { type, draft, link }: { readonly type: ObjectType; readonly draft: Draft; readonly link: ResolvedLink },
  { effects, timers }: LinkOutcome,
): Promise<DataAnswer> {
  const { pair, targetId } = link;
  const made = effects.some((effect) => effect.makes);
  const replaced = made ? effects.find((effect) => !effect.makes) : undefined;
  const formerType = replaced && session.catalog.objectTypes.get(replaced.pair.targetType);
  const seen = replaced && formerType && (await unit.typeOfLive([formerType.id], replaced.targetId)) !== undefined;
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
