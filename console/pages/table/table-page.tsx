// The table of a type: every record that the caller may see, as a list that goes on as it is scrolled.
import { useMemo, useState } from 'react';
import { Link, useSearch } from 'wouter';
import '../../style/table.css';
import { paths } from '../../app/routes.ts';
import { literal } from '../../data/request-text.ts';
import { canImport, useType } from '../../data/schema.ts';
import { useRows } from '../../data/use-rows.ts';
import { useView } from '../../data/use-view.ts';
import { columnsOf, filterOf } from '../../data/view.ts';
import { BulkBar } from '../../parts/bulk/bulk-bar.tsx';
import { Button } from '../../parts/button.tsx';
import { CreateDialog } from '../../parts/create-dialog.tsx';
import { FilterBar } from '../../parts/filter/filter-bar.tsx';
import { Icon } from '../../parts/icon.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { texts } from '../../text/texts.ts';
import { CsvButton } from './csv-button.tsx';
import { Grid } from './grid.tsx';
import { TableFoot } from './table-foot.tsx';
import { ColumnsMenu, SortMenu } from './table-menus.tsx';
import { tableQuestion } from './table-question.ts';

export default function TablePage({ type: name }: { readonly type: string }) {
  const type = useType(name);
  const [view, changeView] = useView();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const isCreateAsked = new URLSearchParams(useSearch()).has('new');
  const [isCreating, setCreating] = useState(false);
  const question = useMemo(() => tableQuestion(type, view), [type, view]);
  const columns = useMemo(() => columnsOf(type, view), [type, view]);
  const shown = useRows(name, question);
  const isFiltered = view.conditions.length > 0 || view.search.trim() !== '';
  return (
    <div className="page">
      <PageHead
        type={type}
        current="table"
        request={{
          method: 'POST',
          path: `/objects/${name}/records/query/`,
          body: question,
          code: `for await (const record of client.records(${JSON.stringify(name)}).query(${literal(question)})) {\n  console.log(record.id, record.properties);\n}`,
        }}
        onCreate={() => setCreating(true)}
      />
      <div className="toolbar">
        <FilterBar type={type} view={view} onChange={changeView} />
        <span className="grow" />
        <SortMenu type={type} view={view} onChange={changeView} />
        <ColumnsMenu type={type} view={view} columns={columns} onChange={changeView} />
        {canImport(type) && (
          <Link className="button quiet" href={paths.import(name)}>
            <Icon name="upload" />
            {texts.import}
          </Link>
        )}
        <CsvButton type={type} columns={columns} question={question} />
      </div>
      {shown.fresh > 0 && (
        <div className="fresh" role="status">
          <Button size="small" look="quiet" onClick={shown.reload}>
            {texts.fresh(shown.fresh)}
          </Button>
        </div>
      )}
      <Grid
        type={type}
        view={view}
        columns={columns}
        shown={shown}
        selected={selected}
        onSelect={setSelected}
        onView={changeView}
        empty={isFiltered ? texts.filteredToNothing(type.plural_label) : texts.empty(type.plural_label)}
        {...(isFiltered ? { onClear: () => changeView({ conditions: [], search: '' }) } : {})}
      />
      <TableFoot type={type} view={view} filter={filterOf(view.conditions)} isComplete={shown.state.isComplete} />
      {selected.size > 0 && <BulkBar type={type} selected={selected} onSelect={setSelected} onChanged={shown.reload} />}
      {(isCreating || isCreateAsked) && (
        <CreateDialog
          type={type}
          onClose={() => {
            setCreating(false);
            // The address asks for it no longer.
            if (isCreateAsked) changeView({});
          }}
          onCreated={shown.reload}
        />
      )}
    </div>
  );
}
