// The first minutes of a new org: a first contact, a first deal, an import, a colleague and a key. What is done is gone, and each can
// be skipped.
import { Link } from 'wouter';
import { paths } from '../../app/routes.ts';
import { type FirstStep, useFirstSteps, useSkip } from '../../data/first-steps.ts';
import { Button } from '../../parts/button.tsx';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { Bars } from '../../parts/loading.tsx';
import { startTexts } from '../../text/start-texts.ts';
import '../../style/start.css';

const icons: Readonly<Record<FirstStep, IconName>> = {
  contact: 'person',
  deal: 'diamond',
  import: 'upload',
  colleague: 'people',
  key: 'key',
};

export default function StartPage() {
  const left = useFirstSteps();
  return (
    <div className="page">
      <header className="page-head">
        <h1>{startTexts.title}</h1>
      </header>
      <div className="start">
        {left === undefined && <Bars count={5} />}
        {left?.length === 0 && (
          <div className="note-box">
            <p>{startTexts.allDone}</p>
            <Link href={paths.home()} className="button primary">
              {startTexts.goOn}
            </Link>
          </div>
        )}
        {left !== undefined && left.length > 0 && (
          <>
            <p className="start-intro">{startTexts.intro}</p>
            <ol className="start-steps">
              {left.map((step, index) => (
                <Step key={step} step={step} look={index === 0 ? 'primary' : 'plain'} />
              ))}
            </ol>
          </>
        )}
      </div>
    </div>
  );
}

function Step({ step, look }: { readonly step: FirstStep; readonly look: 'primary' | 'plain' }) {
  const skip = useSkip();
  const { title, text, action } = startTexts.steps[step];
  const hrefs: Readonly<Record<FirstStep, string>> = {
    contact: paths.create('svc_contact'),
    deal: paths.create('svc_deal'),
    import: paths.import('svc_contact'),
    colleague: paths.settings('members'),
    key: paths.settings('keys', 'new'),
  };
  return (
    <li className="start-step" aria-label={title}>
      <Icon name={icons[step]} />
      <div className="start-text">
        <h2>{title}</h2>
        <p>{text}</p>
      </div>
      <div className="start-actions">
        <Button look="quiet" aria-label={startTexts.skipStep(title)} onClick={() => skip(step)}>
          {startTexts.skip}
        </Button>
        <Link className={`button ${look}`} href={hrefs[step]}>
          {action}
        </Link>
      </div>
    </li>
  );
}
