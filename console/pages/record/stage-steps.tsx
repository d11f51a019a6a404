// The stages of a pipeline as steps, with the time that was spent in each; a click moves the record there.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { AssociationType } from '../../../client/main.ts';
import { api } from '../../data/api.ts';
import type { Row } from '../../data/paged-rows.ts';
import { type TypeDetail, useCatalog, useMaybeType } from '../../data/schema.ts';
import { type PlacedStage, useStages } from '../../data/stages.ts';
import { messages } from '../../parts/toasts.tsx';
import { durationText } from '../../text/locale.ts';
import { texts } from '../../text/texts.ts';
import { linkedQuery } from './record-data.ts';

interface Props {
  readonly type: TypeDetail;
  readonly row: Row;
  readonly link: AssociationType;
}

export function StageSteps({ type, row, link }: Props) {
  const stages = useStages(useMaybeType(link.target_type));
  const { data: linked } = useQuery(linkedQuery(type.name, row.id, link));
  const spent = useTimeSpent(type, row.id);
  const queries = useQueryClient();
  const [current] = linked?.items ?? [];
  const pipelineId =
    stages.find(({ id }) => id === current?.id)?.pipelineId ??
    stages.find((stage) => stage.pipelineId !== undefined)?.pipelineId;
  const own = stages.filter((stage) => stage.pipelineId === pipelineId);
  const at = own.findIndex(({ id }) => id === current?.id);
  const mayMove = link.writable && type.writable_operations.includes('associate');
  const move = async (stage: PlacedStage) => {
    try {
      const { requestId } = await api
        .records(type.name)
        .putAssociation(row.id, link.name, stage.id, { ifMatch: row.version });
      messages.done(texts.moved, requestId);
    } catch (error) {
      messages.failed(error);
    }
    await queries.invalidateQueries({ queryKey: ['records', type.name] });
  };
  if (own.length === 0) return null;
  return (
    <ol className="steps" aria-label={link.label}>
      {own.map((stage, index) => {
        const isCurrent = index === at;
        const seconds =
          isCurrent && current?.associated_at !== undefined ? secondsSince(current.associated_at) : undefined;
        const past = spent.get(stage.id);
        const time =
          seconds !== undefined
            ? texts.soFar(durationText(seconds + (past ?? 0)))
            : past === undefined
              ? ''
              : durationText(past);
        const state = isCurrent ? 'current' : index < at && !stage.isClosed ? 'past' : 'ahead';
        return (
          <li key={stage.id} className={`step ${state}${stage.isClosed ? ' closed' : ''}`}>
            <button
              type="button"
              className="step-button"
              aria-current={isCurrent ? 'step' : undefined}
              disabled={!mayMove || isCurrent}
              onClick={() => void move(stage)}
            >
              <span className="step-bar" />
              <span className="one-line">{stage.name}</span>
              <span className="step-time figures">{time}</span>
            </button>
          </li>
        );
      })}
    </ol>
  );
}

function secondsSince(moment: string): number {
  return Math.max(0, (Date.now() - Date.parse(moment)) / 1_000);
}

/** Seconds by stage, from the timers of the record. */
function useTimeSpent(type: TypeDetail, id: string): ReadonlyMap<string, number> {
  const { types } = useCatalog();
  const isSeen = types.some(({ name }) => name === 'svc_stage_timer');
  const toRecord = type.links.find(
    ({ source_type: source, direction }) => source === 'svc_stage_timer' && direction === 'incoming',
  );
  const timers = useMaybeType('svc_stage_timer');
  const toStage = timers?.links.find(
    ({ direction, target_type: target }) =>
      direction === 'outgoing' &&
      type.links.some((link) => link.stage && link.direction === 'outgoing' && link.target_type === target),
  );
  const { data } = useQuery({
    queryKey: ['records', type.name, 'history', id, 'timers'],
    queryFn: async ({ signal }) => {
      if (toRecord === undefined || toStage === undefined) return new Map<string, number>();
      const filter = { association: toRecord.name, operator: 'exists', target_id: id } as const;
      const found = await api
        .records('svc_stage_timer')
        .query({ filter, include: [toStage.name], properties: ['svc_duration_seconds'], limit: 500 }, { signal })
        .toArray(500);
      const sums = new Map<string, number>();
      for (const timer of found) {
        const stage = timer.associations?.[toStage.name]?.items[0]?.id;
        const seconds = Number(timer.properties['svc_duration_seconds'] ?? 0);
        if (stage !== undefined) sums.set(stage, (sums.get(stage) ?? 0) + seconds);
      }
      return sums;
    },
    enabled: isSeen && toRecord !== undefined && toStage !== undefined,
    staleTime: 2_000,
  });
  return data ?? new Map();
}
