// Which board is shown, where there are several: by association, and by pipeline. The choice stands in the address.
import { useLocation, useSearch } from 'wouter';
import type { AssociationType } from '../../../client/main.ts';
import type { PlacedStage } from '../../data/stages.ts';
import { texts } from '../../text/texts.ts';

/** A member of the address, and a function that replaces it. */
function useParameter(name: string): readonly [string | null, (value: string) => void] {
  const search = useSearch();
  const [location, go] = useLocation();
  const choose = (value: string) => {
    const next = new URLSearchParams(search);
    next.set(name, value);
    go(`${location}?${next}`, { replace: true });
  };
  return [new URLSearchParams(search).get(name), choose];
}

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

interface Props {
  readonly label: string;
  readonly choices: readonly (readonly [value: string, label: string])[];
  readonly current: string | undefined;
  readonly onChoose: (value: string) => void;
}

/** Nothing if there is nothing to choose. */
export function Choice({ label, choices, current, onChoose }: Props) {
  if (choices.length < 2) return null;
  return (
    <select
      className="input pipeline"
      aria-label={label}
      value={current}
      onChange={(event) => onChoose(event.target.value)}
    >
      {choices.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}

export function pipelinesOf(stages: readonly PlacedStage[]): readonly (readonly [string, string])[] {
  const pipelines = new Map<string, string>();
  for (const { pipelineId, pipelineName } of stages) {
    if (pipelineId !== undefined) pipelines.set(pipelineId, pipelineName ?? texts.noName);
  }
  return [...pipelines];
}
