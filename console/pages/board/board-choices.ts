// Which board is shown, where there are several: by association, and by pipeline. The choice stands in the address.
import type { AssociationType } from '../../../client/main.ts';
import type { PlacedStage } from '../../data/stages.ts';
import { useParameter } from '../../data/use-view.ts';

/** The stage association in the address; the first one by default. */
export function useStageLink(
  links: readonly AssociationType[],
): readonly [AssociationType | undefined, (name: string) => void] {
  const [named, choose] = useParameter('stages');
  return [links.find(({ name }) => name === named) ?? links[0], choose];
}

/** The pipeline in the address; the first one by default. */
export function usePipeline(stages: readonly PlacedStage[]): readonly [string | undefined, (id: string) => void] {
  const [named, choose] = useParameter('pipeline');
  const current =
    stages.find(({ pipelineId }) => pipelineId !== undefined && pipelineId === named) ??
    stages.find(({ pipelineId }) => pipelineId !== undefined);
  return [current?.pipelineId, choose];
}
