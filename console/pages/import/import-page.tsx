// A file becomes records of a type: it comes in, its columns are understood, all rows are checked, and then they are imported. What is
// under way goes on while other pages are open.
import { type DragEvent, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { paths } from '../../app/routes.ts';
import { useSkip } from '../../data/first-steps.ts';
import { canImport, type TypeDetail, useCatalog, useType } from '../../data/schema.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Bars } from '../../parts/loading.tsx';
import { importTexts } from '../../text/import-texts.ts';
import { texts } from '../../text/texts.ts';
import { ColumnsStep } from './columns/columns-step.tsx';
import { FileLine } from './file-line.tsx';
import { FileStep } from './file-step.tsx';
import { HeadActions } from './head-actions.tsx';
import { type HeldImport, useHeldImport } from './held-import.ts';
import { useAnnouncement } from './run/announcement.ts';
import { RunStep } from './run/run-step.tsx';
import { SavedCard } from './run/saved-card.tsx';
import { isUnderWay, runOf, type Step, stepOf, steps } from './steps.ts';
import '../../style/import.css';

export default function ImportPage({ type: name }: { readonly type: string }) {
  const type = useType(name);
  if (canImport(type)) return <ImportOf type={type} />;
  return (
    <div className="page">
      <header className="page-head">
        <h1>{importTexts.title(type.plural_label)}</h1>
      </header>
      <p className="note-box">{importTexts.noGrant(type.plural_label)}</p>
    </div>
  );
}

function ImportOf({ type }: { readonly type: TypeDetail }) {
  const held = useHeldImport(type.name);
  const { state, wanted, open } = held;
  const step = stepOf(state, wanted);
  const isFree = state.reading === undefined && (state.progress === undefined || !isUnderWay(state.progress));
  const { isOver, ...dropping } = useDrop(isFree, open);
  const body = useFocus(`${step} ${state.reading === undefined} ${state.progress?.state}`);
  useFirstStepDone(held);
  return (
    <div className="page import-page" {...dropping}>
      <header className="page-head">
        <nav className="import-trail" aria-label={importTexts.place}>
          <Link href={paths.table(type.name)} className="trail-link">
            {type.plural_label}
          </Link>
          <Icon name="right" />
        </nav>
        <h1 className="one-line">{texts.import}</h1>
        <span className="grow" />
        <HeadActions type={type} held={held} step={step} />
      </header>
      <StepList current={step} />
      <div ref={body} className="import-body">
        <Failure held={held} />
        <StepBody type={type} held={held} step={step} isOver={isOver} />
      </div>
      <p className="sr-only" role="status">
        {useAnnouncement(runOf(state, step))}
      </p>
    </div>
  );
}

interface StepProps {
  readonly type: TypeDetail;
  readonly held: HeldImport;
  readonly step: Step;
  readonly isOver: boolean;
}

function StepBody({ type, held, step, isOver }: StepProps) {
  const { state, choice, choose, open } = held;
  if (step === 'file') {
    return (
      <>
        {state.saved && state.reading === undefined && <SavedCard type={type} held={held} saved={state.saved} />}
        <FileLine type={type} held={held} step={step} />
        <FileStep reading={state.reading} isOver={isOver} onFile={open} />
      </>
    );
  }
  if (step === 'columns') {
    return (
      <>
        <FileLine type={type} held={held} step={step} />
        {state.plan?.typeName === type.name && (
          <ColumnsStep type={type} plan={state.plan} preview={state.preview} choice={choice} onChoose={choose} />
        )}
        {state.plan?.typeName !== type.name &&
          (state.failure === undefined ? (
            <Bars />
          ) : (
            <div>
              <Button onClick={() => choose(choice)}>{texts.retry}</Button>
            </div>
          ))}
      </>
    );
  }
  const progress = runOf(state, step);
  if (progress === undefined) return <Bars />;
  return step === 'import' && held.runType !== undefined && held.runType !== type.name ? (
    <Elsewhere typeName={held.runType} />
  ) : (
    <RunStep held={held} progress={progress} />
  );
}

/** An import of another type is under way. */
function Elsewhere({ typeName }: { readonly typeName: string }) {
  const label = useCatalog().types.find(({ name }) => name === typeName)?.plural_label ?? typeName;
  return (
    <div className="note-box">
      <p>{importTexts.underWay(label)}</p>
      <Link href={paths.import(typeName)} className="button plain">
        {importTexts.goThere}
      </Link>
    </div>
  );
}

function StepList({ current }: { readonly current: Step }) {
  const at = steps.indexOf(current);
  return (
    <ol className="import-steps" aria-label={importTexts.stepsLabel}>
      {steps.map((step, index) => (
        <li key={step} aria-current={index === at ? 'step' : undefined} data-done={index < at || undefined}>
          <span className="import-step-mark">{index < at ? <Icon name="check" /> : index + 1}</span>
          {importTexts.steps[step]}
        </li>
      ))}
    </ol>
  );
}

/** Why the last thing that was asked for could not be done. */
function Failure({ held: { state, refusedFile } }: { readonly held: HeldImport }) {
  if (state.failure === undefined) return null;
  return (
    <div className="import-problem" role="alert">
      {refusedFile !== undefined && <p className="strong">{importTexts.notRead(refusedFile)}</p>}
      <p>{state.failure}</p>
    </div>
  );
}

/** A file can be dropped anywhere on the page. */
function useDrop(isFree: boolean, onFile: (file: File) => void) {
  const [isOver, setOver] = useState(false);
  const hasFile = ({ dataTransfer }: DragEvent) => isFree && dataTransfer.types.includes('Files');
  return {
    isOver,
    onDragOver: (event: DragEvent) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: ({ currentTarget, relatedTarget }: DragEvent) => {
      if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOver(false);
    },
    onDrop: (event: DragEvent) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      setOver(false);
      const [file] = event.dataTransfer.files;
      if (file !== undefined) onFile(file);
    },
  };
}

/** The focus goes where the eye goes: to the heading of what is new, unless somebody is busy elsewhere. */
function useFocus(what: string) {
  const body = useRef<HTMLDivElement>(null);
  const [first] = useState(what);
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current && what === first) return;
    isFirst.current = false;
    const page = body.current?.closest('.page');
    const { activeElement: active } = document;
    const isHere = page != null && (page.contains(active) || active?.contains(page) === true);
    if (isHere) body.current?.querySelector<HTMLElement>('[data-lead]')?.focus();
  }, [what, first]);
  return body;
}

/** No record tells of an import of this page, so that the step is over when it is. */
function useFirstStepDone({ state: { progress } }: HeldImport): void {
  const skip = useSkip();
  const isDone = progress?.kind === 'import' && progress.state === 'done' && progress.created > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each import.
  useEffect(() => {
    if (isDone) skip('import');
  }, [isDone]);
}
