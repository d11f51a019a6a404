// The stages of a pipeline, read like any records and put in order. What makes a record a stage are its properties.
import { useQuery } from '@tanstack/react-query';
import type { Stage } from '../parts/stage-mark.tsx';
import { texts } from '../text/texts.ts';
import { api } from './api.ts';
import type { TypeDetail } from './schema.ts';
import { titleOf } from './schema.ts';

export interface PlacedStage extends Stage {
  /** How far it is along the way of its pipeline, from 0 to 1. */
  readonly share: number;
  readonly pipelineName: string | undefined;
}

/** Says of a stage that what is in it is done with. */
export const closedProperty = 'svc_closed';

/** More stages than anybody has. */
const stagesMost = 500;

const none: readonly PlacedStage[] = [];

/** In the order of pipelines and positions; empty while they are read. */
export function useStages(stageType: TypeDetail | undefined): readonly PlacedStage[] {
  return useQuery({ ...stagesQuery(stageType), enabled: stageType !== undefined }).data ?? none;
}

export function stagesQuery(stageType: TypeDetail | undefined) {
  return {
    queryKey: ['records', stageType?.name ?? '', 'stages'],
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<readonly PlacedStage[]> => {
      if (stageType === undefined) return none;
      const toPipeline = stageType.links.find(
        ({ direction, cardinality, stage, target_type: target }) =>
          direction === 'outgoing' && cardinality === 'many_to_one' && !stage && target !== 'svc_org',
      );
      const include = toPipeline === undefined ? [] : [toPipeline.name];
      const records = await api
        .records(stageType.name)
        .query({ limit: 500, ...(include.length === 0 ? {} : { include }) }, { signal })
        .toArray(stagesMost);
      const stages = records.map((record): Stage & { readonly pipelineName: string | undefined } => {
        const pipeline = toPipeline && record.associations?.[toPipeline.name]?.items[0];
        const { svc_position: position, svc_probability: probability, [closedProperty]: closed } = record.properties;
        return {
          id: record.id,
          name: titleOf(stageType, record.properties) || texts.noName,
          position: Number(position ?? Number.POSITIVE_INFINITY),
          probability: probability === undefined ? undefined : Number(probability),
          isClosed: closed === true,
          pipelineId: pipeline?.id,
          pipelineName: pipeline?.properties?.['svc_name'] as string | undefined,
        };
      });
      return placed(stages.toSorted(inOrder));
    },
    staleTime: 30_000,
  };
}

function inOrder(one: Stage, other: Stage): number {
  const [left, right] = [one.pipelineId ?? '', other.pipelineId ?? ''];
  if (left !== right) return left < right ? -1 : 1;
  return one.position - other.position || (one.id < other.id ? -1 : 1);
}

/** Of each pipeline, the open stages fill the ring step by step. */
function placed(stages: readonly (Stage & { readonly pipelineName: string | undefined })[]): readonly PlacedStage[] {
  return stages.map((stage) => {
    const open = stages.filter(({ pipelineId, isClosed }) => pipelineId === stage.pipelineId && !isClosed);
    const place = open.findIndex(({ id }) => id === stage.id);
    return { ...stage, share: place < 0 || open.length === 0 ? 0 : (place + 1) / open.length };
  });
}

/** Each with its name, in the order of its stages. */
export function pipelinesOf(stages: readonly PlacedStage[]): readonly (readonly [string, string])[] {
  const pipelines = new Map<string, string>();
  for (const { pipelineId, pipelineName } of stages) {
    if (pipelineId !== undefined) pipelines.set(pipelineId, pipelineName ?? texts.noName);
  }
  return [...pipelines];
}
