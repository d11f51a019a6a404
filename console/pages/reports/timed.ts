// Deals, their stages and the timers of these: what the ready-made reports are made of. Undefined for those who do not see all
// of them.
import { useQuery } from '@tanstack/react-query';
import type { AssociationType } from '../../../client/main.ts';
import { stageLinksOf, type TypeDetail, useMaybeType } from '../../data/schema.ts';
import { type PlacedStage, stagesQuery } from '../../data/stages.ts';
import type { Condition, LinkedCondition } from '../../data/view.ts';
import { isWon } from '../../parts/stage-mark.tsx';

const dealType = 'svc_deal';
export const timerType = 'svc_stage_timer';
export const durationProperty = 'svc_duration_seconds';

export interface Timed {
  readonly type: TypeDetail;
  readonly stageLink: AssociationType;
  readonly stages: readonly PlacedStage[];
  readonly timer: TypeDetail;
  /** From a timer to the deal, and to the stage that the deal left. */
  readonly toDeal: AssociationType;
  readonly toStage: AssociationType;
}

export function useTimed(): Timed | undefined {
  const type = useMaybeType(dealType);
  const timer = useMaybeType(timerType);
  const [stageLink] = type === undefined ? [] : stageLinksOf(type);
  const stageType = useMaybeType(stageLink?.target_type);
  const { data: stages } = useQuery({ ...stagesQuery(stageType), enabled: stageType !== undefined });
  const linkTo = (name: string | undefined) =>
    timer?.links.find(({ direction, target_type: target }) => direction === 'outgoing' && target === name);
  const [toDeal, toStage] = [linkTo(type?.name), linkTo(stageType?.name)];
  if (type === undefined || stageLink === undefined || stages === undefined || timer === undefined) return undefined;
  if (toDeal === undefined || toStage === undefined || !timer.byName.has(durationProperty)) return undefined;
  return { type, stageLink, stages, timer, toDeal, toStage };
}

export function openOf({ stages }: Timed, pipelineId: string | undefined): readonly PlacedStage[] {
  return stages.filter((stage) => stage.pipelineId === pipelineId && !stage.isClosed);
}

export function wonOf({ stages }: Timed, pipelineId: string | undefined): readonly PlacedStage[] {
  return stages.filter((stage) => stage.pipelineId === pipelineId && stage.isClosed && isWon(stage));
}

export function lostOf({ stages }: Timed, pipelineId: string | undefined): readonly PlacedStage[] {
  return stages.filter((stage) => stage.pipelineId === pipelineId && stage.isClosed && !isWon(stage));
}

/** Linked with one of the stages. */
export function inAny({ name }: AssociationType, stages: readonly PlacedStage[]): LinkedCondition {
  return {
    association: name,
    operator: 'exists',
    filter: { property: 'id', operator: 'in', value: stages.map(({ id }) => id) },
  };
}

/** Deals that are in one of the stages, or have left one. */
export function haveBeenIn(timed: Timed, stages: readonly PlacedStage[]): Condition {
  const left: LinkedCondition = {
    association: timed.toDeal.name,
    operator: 'exists',
    filter: inAny(timed.toStage, stages),
  };
  return { or: [inAny(timed.stageLink, stages), left] };
}
