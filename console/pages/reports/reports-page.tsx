// Reports: those that were saved, and those of deals that are ready made from the stage timers.
import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import '../../style/figures.css';
import '../../style/report.css';
import { paths } from '../../app/routes.ts';
import { api } from '../../data/api.ts';
import { pathOf, type SavedView, useSavedViews, viewType } from '../../data/saved-views.ts';
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
  const { views, isPending, error, refetch } = useSavedViews();
  const reports = views.filter(({ kind }) => kind === 'report');
  const remove = async ({ id }: SavedView) => {
    try {
      const { requestId } = await api.records(viewType).delete(id);
      messages.done(texts.deleted(1), requestId);
    } catch (failure) {
      messages.failed(failure);
    }
    await queries.invalidateQueries({ queryKey: ['records', viewType] });
  };
  const mayDelete = types.find(({ name }) => name === viewType)?.writable_operations.includes('delete') === true;
  return (
    <Panel heading={texts.savedReports} isPending={isPending} error={error} onRetry={() => void refetch()}>
      {reports.length === 0 ? (
        <p className="panel-empty">{texts.noSavedReports}</p>
      ) : (
        <ul className="two-lines">
          {reports.map((view) => {
            const about = types.find((type) => type.name === view.type);
            return (
              <li key={view.id} className="two-line">
                <Icon name="chart" className="two-line-icon" />
                <div className="two-line-text">
                  {about === undefined ? (
                    <span className="one-line">{view.name}</span>
                  ) : (
                    <Link href={pathOf(view)} className="linked strong one-line">
                      {view.name}
                    </Link>
                  )}
                  <p className="quiet one-line">{about?.plural_label ?? texts.noType}</p>
                </div>
                {mayDelete && (
                  <Button
                    look="quiet"
                    size="small"
                    icon="trash"
                    aria-label={texts.deleteTitle(view.name)}
                    onClick={() => void remove(view)}
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
