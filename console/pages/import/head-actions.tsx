// What can be done next, where the eye looks for it: one button, and the request behind it.
import { useState } from 'react';
import { Link } from 'wouter';
import { paths } from '../../app/routes.ts';
import { type TypeDetail, useCatalog } from '../../data/schema.ts';
import { Button } from '../../parts/button.tsx';
import { RequestButton } from '../../parts/page-head.tsx';
import { importTexts } from '../../text/import-texts.ts';
import { goToFault } from './columns/columns-step.tsx';
import type { HeldImport } from './held-import.ts';
import { ReplaceDialog } from './run/replace-dialog.tsx';
import { shownRequests } from './shown-requests.ts';
import { isUnderWay, runOf, type Step } from './steps.ts';

interface Props {
  readonly type: TypeDetail;
  readonly held: HeldImport;
  readonly step: Step;
}

export function HeadActions({ type, held, step }: Props) {
  const catalog = useCatalog();
  const { plan, preview } = held.state;
  const isPlanned = step !== 'file' && plan !== undefined && preview !== undefined && plan.typeName === type.name;
  return (
    <>
      {isPlanned && <RequestButton request={shownRequests(type, catalog, plan, preview)} />}
      <NextButton type={type} held={held} step={step} />
    </>
  );
}

function NextButton({ type, held, step }: Props) {
  const { session, state, run, runType } = held;
  const progress = runOf(state, step);
  const check = async () => {
    const planned = await held.planned();
    if (planned === undefined || planned.faults.length > 0) goToFault();
    else run('check');
  };
  const again = (label: string) => (
    <Button look="primary" onClick={() => void check()}>
      {label}
    </Button>
  );
  if (step === 'columns') return state.plan?.typeName === type.name ? again(importTexts.check) : null;
  if (progress === undefined || (step === 'import' && runType !== undefined && runType !== type.name)) return null;
  if (isUnderWay(progress)) {
    return (
      <Button disabled={progress.state === 'stopping'} onClick={() => void session.stop()}>
        {importTexts.stop}
      </Button>
    );
  }
  if (progress.kind === 'dry run') {
    if (progress.state !== 'done') return again(importTexts.checkAgain);
    const taken = progress.total - progress.refused;
    if (taken === 0) return null;
    return <StartButton held={held} rows={taken} />;
  }
  if (progress.state === 'in doubt') return null;
  if (progress.state !== 'done') {
    return (
      <Button look="primary" onClick={() => run('go on')}>
        {importTexts.goOn}
      </Button>
    );
  }
  return (
    <Link className="button primary" href={paths.table(type.name)}>
      {importTexts.openTable(type.plural_label)}
    </Link>
  );
}

/** One import at a time is kept, so that an unfinished one is not given up without asking. */
function StartButton({ held: { state, run }, rows }: { readonly held: HeldImport; readonly rows: number }) {
  const [isAsking, setAsking] = useState(false);
  const { saved, isElsewhere } = state;
  const isUnfinished = !isElsewhere && saved != null && saved.progress.state !== 'done';
  return (
    <>
      <Button look="primary" onClick={() => (isUnfinished ? setAsking(true) : run('start'))}>
        {importTexts.importRows(rows)}
      </Button>
      {isAsking && isUnfinished && (
        <ReplaceDialog
          saved={saved}
          onReplace={() => {
            setAsking(false);
            run('replace');
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
