// Reports: those that were saved, and those of deals that are ready made from the stage timers.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import '../../style/figures.css';
import '../../style/report.css';
import { paths } from '../../app/routes.ts';
import { api } from '../../data/api.ts';
import { asText } from '../../data/as-text.ts';
import { useNews } from '../../data/live.ts';
import type { Row } from '../../data/paged-rows.ts';
import { useCatalog } from '../../data/schema.ts';
import { pipelinesOf } from '../../data/stages.ts';
import { useParameter } from '../../data/use-view.ts';
import { Button } from '../../parts/button.tsx';
import { Panel, Switch } from '../../parts/figures/panel.tsx';
import { Icon, typeIcon } from '../../parts/icon.tsx';
import { messages } from '../../parts/toasts.tsx';
import { texts } from '../../text/texts.ts';
import { AgePanel } from './age-panel.tsx';
import { ConversionPanel } from './conversion-panel.tsx';
import { TimePanel } from './time-panel.tsx';
import { useTimed } from './timed.ts';

const viewType = 'svc_view';
/** More saved reports than a page shows at a glance are found in the table of views. */
const savedMost = 100;

export default function ReportsPage() {
  const { types } = useCatalog();
  const timed = useTimed();
  const [chosen, choosePipeline] = useParameter('pipeline');
  const pipelines = timed === undefined ? [] : pipelinesOf(timed.stages);
  const pipelineId = (pipelines.find(([id]) => id === chosen) ?? pipelines[0])?.[0];
  const known = types.filter(({ category }) => category !== 'platform');
  const [first] = [...known.filter(({ name }) => name === timed?.type.name), ...known];
  return (
    <div className="page">
      <header className="page-head">
        <h1>{texts.reports}</h1>
        <span className="grow" />
        <Switch label={texts.pipeline} choices={pipelines} current={pipelineId} onChoose={choosePipeline} />
        {first !== undefined && (
          <Link href={paths.report(first.name)} className="button primary">
            <Icon name="plus" />
            {texts.newReport}
          </Link>
        )}
      </header>
      <div className="home">
        {timed !== undefined && (
          <div className="home-row three">
            <TimePanel timed={timed} pipelineId={pipelineId} />
            <ConversionPanel timed={timed} pipelineId={pipelineId} />
            <AgePanel timed={timed} pipelineId={pipelineId} />
          </div>
        )}
        {types.some(({ name }) => name === viewType) && <Saved />}
        <Panel heading={texts.reportOf}>
          <ul className="type-links">
            {known.map((type) => (
              <li key={type.name}>
                <Link href={paths.report(type.name)} className="nav-entry">
                  <Icon name={typeIcon(type)} />
                  <span className="one-line">{type.plural_label}</span>
                </Link>
              </li>
            ))}
          </ul>
        </Panel>
      </div>
    </div>
  );
}

function Saved() {
  const { types } = useCatalog();
  const queries = useQueryClient();
  const {
    data = [],
    isPending,
    error,
    refetch,
  } = useQuery({
    queryKey: ['records', viewType, 'reports'],
    queryFn: async ({ signal }): Promise<readonly Row[]> => {
      const filter = { property: 'svc_view_kind', operator: 'eq', value: 'report' } as const;
      const page = await api
        .records(viewType as string)
        .query({ filter, limit: savedMost }, { signal })
        .first();
      return page.data as readonly Row[];
    },
    throwOnError: false,
  });
  useNews((news) => {
    const isAbout = news === 'all' || news.some(({ object_type: type }) => type === viewType);
    if (isAbout) void queries.invalidateQueries({ queryKey: ['records', viewType] });
  });
  const remove = async ({ id }: Row) => {
    try {
      const { requestId } = await api.records(viewType as string).delete(id);
      messages.done(texts.deleted(1), requestId);
    } catch (failure) {
      messages.failed(failure);
    }
    await queries.invalidateQueries({ queryKey: ['records', viewType] });
  };
  const mayDelete = types.find(({ name }) => name === viewType)?.writable_operations.includes('delete') === true;
  return (
    <Panel heading={texts.savedReports} isPending={isPending} error={error} onRetry={() => void refetch()}>
      {data.length === 0 ? (
        <p className="panel-empty">{texts.noSavedReports}</p>
      ) : (
        <ul className="two-lines">
          {data.map((row) => {
            const name = asText(row.properties['svc_name']);
            const about = types.find((type) => type.name === row.properties['svc_object_type']);
            return (
              <li key={row.id} className="two-line">
                <Icon name="table" className="two-line-icon" />
                <div className="two-line-text">
                  {about === undefined ? (
                    <span className="one-line">{name}</span>
                  ) : (
                    <Link href={`${paths.report(about.name)}?${searchOf(row)}`} className="linked strong one-line">
                      {name}
                    </Link>
                  )}
                  <p className="quiet one-line">{about?.plural_label ?? texts.noType}</p>
                </div>
                {mayDelete && (
                  <Button
                    look="quiet"
                    size="small"
                    icon="trash"
                    aria-label={texts.deleteTitle(name)}
                    onClick={() => void remove(row)}
                  />
                )}
              </li>
            );
          })}
        </ul>
      )}
    </Panel>
  );
}

/** What other programs saved in their own form opens as a new report. */
function searchOf({ properties }: Row): string {
  try {
    const definition: unknown = JSON.parse(asText(properties['svc_definition'], '{}'));
    if (typeof definition !== 'object' || definition === null || !('search' in definition)) return '';
    return new URLSearchParams(asText(definition.search)).toString();
  } catch {
    return '';
  }
}
