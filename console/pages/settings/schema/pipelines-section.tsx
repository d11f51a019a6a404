// The stages through which records go, one part of the page for each stage association of the schema: those of deals, tasks and
// contacts, and those that the org has made.
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import type { AssociationType } from '../../../../client/main.ts';
import { type TypeDetail, typeQuery, useCatalog, useMaybeType } from '../../../data/schema.ts';
import { Button } from '../../../parts/button.tsx';
import { Bars } from '../../../parts/loading.tsx';
import { schemaTexts } from '../../../text/schema-texts.ts';
import { settingsTexts } from '../../../text/settings-texts.ts';
import { Empty, Part, SettingsFrame } from '../parts/frame.tsx';
import { useFresh } from '../parts/platform.ts';
import { PipelineOf, usePipelines } from './pipeline.tsx';
import { PipelineForm } from './pipeline-form.tsx';
import { StageList } from './stage-list.tsx';

interface StagedType {
  readonly type: TypeDetail;
  readonly link: AssociationType;
}

export function PipelinesSection() {
  const { types } = useCatalog();
  const details = useQueries({
    queries: types.filter(({ category }) => category !== 'platform').map(({ name }) => typeQuery(name)),
  });
  const staged = details.flatMap(({ data: type }): StagedType[] =>
    type === undefined
      ? []
      : type.links
          .filter(
            ({ stage, direction, source_type: source }) => stage && direction === 'outgoing' && source === type.name,
          )
          .map((link) => ({ type, link })),
  );
  const isRead = details.every(({ isPending }) => !isPending);
  const rank = ({ type }: StagedType) => ['core', 'custom'].indexOf(type.category);
  return (
    <SettingsFrame title={settingsTexts.pipelines}>
      {!isRead && <Bars />}
      {isRead && staged.length === 0 && <Empty text={schemaTexts.noPipelines} />}
      {isRead &&
        staged
          .toSorted((one, other) => deals(other) - deals(one) || rank(one) - rank(other))
          .map(({ type, link }) => <StagesOf key={`${type.name} ${link.name}`} type={type} link={link} />)}
    </SettingsFrame>
  );
}

/** Deals first: their pipelines are what people look for. */
function deals({ type }: StagedType): number {
  return type.name === 'svc_deal' ? 1 : 0;
}

function StagesOf({ type, link }: StagedType) {
  const stageType = useMaybeType(link.target_type);
  if (stageType === undefined) return null;
  return <KnownStages type={type} link={link} stageType={stageType} />;
}

function KnownStages({ type, link, stageType }: StagedType & { readonly stageType: TypeDetail }) {
  const toPipeline = stageType.links.find(
    ({ direction, cardinality, stage, target_type: target }) =>
      direction === 'outgoing' &&
      cardinality === 'many_to_one' &&
      !stage &&
      target !== 'svc_org' &&
      target !== 'svc_user',
  );
  const pipelineType = useMaybeType(toPipeline?.target_type);
  const { pipelines, isPending } = usePipelines(pipelineType);
  useFresh([stageType.name, ...(pipelineType === undefined ? [] : [pipelineType.name])]);
  const [isNew, setNew] = useState(false);
  if (toPipeline !== undefined && (pipelineType === undefined || isPending)) return <Bars count={3} />;
  return (
    <Part
      title={type.plural_label}
      intro={schemaTexts.pipelinesIntro(type.plural_label)}
      action={
        pipelineType?.writable_operations.includes('create') && (
          <Button icon="plus" onClick={() => setNew(true)}>
            {schemaTexts.newPipeline}
          </Button>
        )
      }
    >
      {pipelineType === undefined || toPipeline === undefined ? (
        <StageList type={type} link={link} stageType={stageType} pipeline={undefined} />
      ) : (
        pipelines.map((pipeline) => (
          <PipelineOf key={pipeline.id} pipelineType={pipelineType} pipeline={pipeline}>
            <StageList
              type={type}
              link={link}
              stageType={stageType}
              pipeline={{ row: pipeline, link: toPipeline.name, type: pipelineType }}
            />
          </PipelineOf>
        ))
      )}
      {isNew && pipelineType !== undefined && (
        <PipelineForm type={pipelineType} others={pipelines} onClose={() => setNew(false)} />
      )}
    </Part>
  );
}
