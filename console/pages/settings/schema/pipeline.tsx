// A pipeline: its name, and what can be done with it. Its stages are within.
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../../data/api.ts';
import type { Row } from '../../../data/paged-rows.ts';
import { type TypeDetail, titleOf } from '../../../data/schema.ts';
import { schemaTexts } from '../../../text/schema-texts.ts';
import { settingsTexts } from '../../../text/settings-texts.ts';
import { texts } from '../../../text/texts.ts';
import { CheckedDialog } from '../parts/checked-dialog.tsx';
import { useWrite } from '../parts/platform.ts';
import { RecordsInTheWay } from '../parts/records-in-the-way.tsx';
import { RowMenu } from '../parts/row-menu.tsx';
import { PipelineForm } from './pipeline-form.tsx';

/** More pipelines than anybody has. */
const pipelinesMost = 100;

export function usePipelines(type: TypeDetail | undefined) {
  const name = type?.name ?? '';
  const isOrdered = type?.byName.has('svc_position') === true;
  const { data = [], isPending } = useQuery({
    queryKey: ['records', name, 'pipelines'],
    queryFn: ({ signal }) =>
      api
        .records(name)
        .query(isOrdered ? { sort: [{ property: 'svc_position', direction: 'asc' }] } : {}, { signal })
        .toArray(pipelinesMost) as Promise<Row[]>,
    enabled: type !== undefined,
  });
  return { pipelines: data, isPending: type !== undefined && isPending };
}

interface Props {
  readonly pipelineType: TypeDetail;
  readonly pipeline: Row;
  /** The type whose records go through it, and the associations from them over their stage. */
  readonly staged: { readonly type: string; readonly link: string; readonly toPipeline: string };
  readonly children: ReactNode;
}

export function PipelineOf({ pipelineType, pipeline, staged, children }: Props) {
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const write = useWrite();
  const name = titleOf(pipelineType, pipeline.properties) || texts.noName;
  const writable = pipelineType.writable_operations;
  const records = api.records(pipelineType.name);
  return (
    <section className="pipeline-card" aria-label={name}>
      <header className="pipeline-head">
        <h3>{name}</h3>
        <span className="grow" />
        <RowMenu
          title={name}
          actions={[
            ...(writable.includes('update')
              ? [{ label: settingsTexts.edit, icon: 'edit', onChoose: () => setOpen('edit') } as const]
              : []),
            ...(writable.includes('delete')
              ? [
                  {
                    label: settingsTexts.delete,
                    icon: 'trash',
                    look: 'danger',
                    onChoose: () => setOpen('delete'),
                  } as const,
                ]
              : []),
          ]}
        />
      </header>
      {children}
      {open === 'edit' && <PipelineForm type={pipelineType} pipeline={pipeline} onClose={() => setOpen(undefined)} />}
      {open === 'delete' && (
        <CheckedDialog
          title={settingsTexts.deleteTitle(name)}
          text={() => schemaTexts.deletePipeline}
          confirm={settingsTexts.delete}
          check={() => records.delete(pipeline.id, { dryRun: true })}
          run={() => write(() => records.delete(pipeline.id), settingsTexts.deletedTitle(name))}
          wayOf={(reason) =>
            reason === 'stage_in_use' ? (
              <RecordsInTheWay
                type={staged.type}
                condition={{
                  association: staged.link,
                  operator: 'exists',
                  filter: { association: staged.toPipeline, operator: 'exists', target_id: pipeline.id },
                }}
              >
                {settingsTexts.ways.pipeline_in_use}
              </RecordsInTheWay>
            ) : undefined
          }
          onClose={() => setOpen(undefined)}
        />
      )}
    </section>
  );
}
