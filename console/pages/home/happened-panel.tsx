// What happened lately, newest first.
import { Link } from 'wouter';
import { paths } from '../../app/routes.ts';
import { Panel } from '../../parts/figures/panel.tsx';
import { Icon } from '../../parts/icon.tsx';
import { whenText, wholeMomentText } from '../../text/locale.ts';
import { texts } from '../../text/texts.ts';
import { useHappenings } from './happened.ts';

export function HappenedPanel() {
  const { types, happenings, isPending, error, refetch } = useHappenings();
  return (
    <Panel
      heading={texts.recentActivity}
      isPending={isPending}
      error={error}
      onRetry={() => void refetch()}
      foot={types
        .filter(({ category }) => category !== 'pipeline')
        .map(({ name, plural_label: plural }) => (
          <Link key={name} href={paths.table(name)} className="link">
            {plural}
          </Link>
        ))}
    >
      {happenings.length === 0 ? (
        <p className="panel-empty">{texts.nothingYet}</p>
      ) : (
        <ul className="two-lines">
          {happenings.map(({ key, at, icon, title, below, href }) => (
            <li key={key} className="two-line">
              <Icon name={icon} className="two-line-icon" />
              <div className="two-line-text">
                <Link href={href} className="linked strong one-line" title={title}>
                  {title}
                </Link>
                <p className="quiet one-line">{below}</p>
              </div>
              <time className="two-line-end quiet" dateTime={at} title={wholeMomentText(at)}>
                {whenText(at)}
              </time>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
