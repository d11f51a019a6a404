// The stages through which records go, one part of the page for each stage association of the schema: those of deals, tasks and
// contacts, and those that the org has made.
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import type { AssociationType, ObjectType } from '../../../../client/main.ts';
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

/** A type whose records go through stages, and where their stages are. */
interface Staged {
  readonly type: ObjectType;
  readonly link: AssociationType;
  readonly stageType: TypeDetail;
}

/** Stages are records of the service's pipelines, or of types of the org. */
const stageCategories = ['pipeline', 'custom'];

export function PipelinesSection() {
  const { types } = useCatalog();
  const details = useQueries({
    queries: types.filter(({ category }) => stageCategories.includes(category)).map(({ name }) => typeQuery(name)),
  });
  const staged = details.flatMap(({ data }) => (data === undefined ? [] : stagedBy(data, types)));
  const isRead = details.every(({ isPending }) => !isPending);
  return (
    <SettingsFrame title={settingsTexts.pipelines}>
      {!isRead && <Bars />}
      {isRead && staged.length === 0 && <Empty text={schemaTexts.noPipelines} />}
      {isRead &&
        staged
          .toSorted((one, other) => rank(one) - rank(other))
          .map((each) => <StagesOf key={`${each.type.name} ${each.link.name}`} {...each} />)}
    </SettingsFrame>
  );
}

/** The associations that lead to records of the type as stages. */
function stagedBy(stageType: TypeDetail, types: readonly ObjectType[]): readonly Staged[] {
  const incoming = stageType.links.filter(({ stage, direction }) => stage && direction === 'incoming');
  return incoming.flatMap((link) => {
    const type = types.find(({ name }) => name === link.source_type);
    return type === undefined ? [] : [{ type, link, stageType }];
  });
}

/** Deals first: their pipelines are what people look for. */
function rank({ type: { name, category } }: Staged): number {
  return name === 'svc_deal' ? -1 : ['core', 'custom'].indexOf(category);
}

function StagesOf({ type, link, stageType }: Staged) {
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
          <PipelineOf
            key={pipeline.id}
            pipelineType={pipelineType}
            pipeline={pipeline}
            staged={{ type: type.name, link: link.name, toPipeline: toPipeline.name }}
          >
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
