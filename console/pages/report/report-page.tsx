// The report of a type: its records in groups with one measure, as a chart with the table behind it. Everything is chosen from
// what the field types allow, and stands in the address.
import { useQuery } from '@tanstack/react-query';
import { useLocation, useSearch } from 'wouter';
import '../../style/figures.css';
import '../../style/report.css';
import { groupsMost, groupsQuery, groupsRequest } from '../../data/figures/groups.ts';
import { type TypeDetail, useMaybeType, useType } from '../../data/schema.ts';
import { useStages } from '../../data/stages.ts';
import { useView } from '../../data/use-view.ts';
import { ErrorNote } from '../../parts/broken.tsx';
import { Button } from '../../parts/button.tsx';
import { Switch } from '../../parts/figures/panel.tsx';
import { FilterBar } from '../../parts/filter/filter-bar.tsx';
import { Bars } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { numberText } from '../../text/locale.ts';
import { texts } from '../../text/texts.ts';
import { Builder } from './builder.tsx';
import { ReportChart } from './chart.tsx';
import { downloadReport } from './csv.ts';
import {
  firstGroups,
  linkOf,
  questionOf,
  type Report,
  readReport,
  reportSearch,
  useIsStages,
  writeReport,
} from './report.ts';
import { ReportTable } from './report-table.tsx';
import { rowsOf } from './rows.ts';

export default function ReportPage({ type: name }: { readonly type: string }) {
  const type = useType(name);
  const search = useSearch();
  const [location, go] = useLocation();
  const [view, changeView] = useView();
  const isStages = useIsStages();
  const report = readReport(search, type, isStages);
  const question = questionOf(type, report, view);
  const change = (next: Partial<Report>) => {
    const query = new URLSearchParams(search);
    for (const [key, value] of Object.entries(writeReport({ ...report, ...next }))) query.set(key, value);
    go(`${location}?${query}`, { replace: true });
  };
  return (
    <div className="page">
      <PageHead
        type={type}
        current="report"
        request={groupsRequest(name, question)}
        saved={reportSearch(report, search)}
      />
      <div className="toolbar">
        <FilterBar type={type} view={view} onChange={changeView} />
      </div>
      <Builder type={type} report={report} onChange={change} />
      <Result
        type={type}
        report={report}
        onUnit={(unit) => {
          const query = new URLSearchParams(search);
          query.set('unit', unit);
          go(`${location}?${query}`, { replace: true });
        }}
      />
    </div>
  );
}

interface ResultProps {
  readonly type: TypeDetail;
  readonly report: Report;
  readonly onUnit: (unit: string) => void;
}

function Result({ type, report, onUnit }: ResultProps) {
  const [view] = useView();
  const search = useSearch();
  const isStages = useIsStages();
  const [first] = report.groups;
  const link = first === undefined ? undefined : linkOf(type, first);
  const stages = useStages(useMaybeType(link !== undefined && isStages(link) ? link.target_type : undefined));
  const query = useQuery(groupsQuery(type.name, questionOf(type, report, view)));
  if (query.error !== null) return <ErrorNote error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <Bars />;
  const isCut = query.data.length > groupsMost;
  const { rows, units } = rowsOf(
    type,
    report,
    isCut ? query.data.slice(0, groupsMost) : query.data,
    stages,
    new URLSearchParams(search).get('unit') ?? undefined,
  );
  return (
    <div className="report">
      {query.data.length === 0 ? (
        <p className="note-box">{texts.filteredToNothing(type.plural_label)}</p>
      ) : (
        <>
          <div className="report-tools">
            <Switch
              label={texts.currency}
              choices={units.map((unit) => [unit, unit] as const)}
              current={units[0]}
              onChoose={onUnit}
            />
            <span className="grow" />
            <Button look="quiet" size="small" icon="download" onClick={() => downloadReport(type, report, rows)}>
              {texts.csv}
            </Button>
          </div>
          {isCut && (
            <p className="note-box" role="status">
              {texts.cutGroups[firstGroups(type, report)](numberText(String(groupsMost)))}
            </p>
          )}
          <ReportChart type={type} report={report} rows={rows} conditions={view.conditions} />
          <ReportTable type={type} report={report} rows={rows} conditions={view.conditions} />
        </>
      )}
    </div>
  );
}
