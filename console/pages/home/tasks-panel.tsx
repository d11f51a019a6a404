// Tasks that are due, those that are late first. A tick finishes one.
import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { paths } from '../../app/routes.ts';
import { dueProperty, noteType } from '../../data/activities.ts';
import { api } from '../../data/api.ts';
import { asText } from '../../data/as-text.ts';
import { dayOf, today } from '../../data/figures/days.ts';
import { linkedTitle } from '../../data/other-end.ts';
import type { Row } from '../../data/paged-rows.ts';
import { titleOf, useCatalog } from '../../data/schema.ts';
import { tablePath } from '../../data/view-path.ts';
import { Panel } from '../../parts/figures/panel.tsx';
import { messages } from '../../parts/toasts.tsx';
import { valueText } from '../../parts/values/value.tsx';
import { dateText, timeText } from '../../text/locale.ts';
import { texts } from '../../text/texts.ts';
import { type Tasks, untilToday, useNextTasks } from './tasks.ts';

export function TasksPanel({ tasks }: { readonly tasks: Tasks }) {
  const { data = [], isPending, error, refetch } = useNextTasks(tasks);
  const queries = useQueryClient();
  const { type, status, done, open } = tasks;
  const mayFinish = status?.writable === true && type.writable_operations.includes('associate') && done !== undefined;
  const finish = async (task: Row) => {
    if (status === undefined || done === undefined) return;
    try {
      const { requestId } = await api.records(noteType).putAssociation(task.id, status.name, done.id);
      messages.done(texts.taskDone, requestId);
    } catch (failure) {
      messages.failed(failure);
    }
    await queries.invalidateQueries({ queryKey: ['records', noteType] });
  };
  return (
    <Panel
      heading={texts.tasksDue}
      isPending={isPending}
      error={error}
      onRetry={() => void refetch()}
      foot={
        <Link href={tablePath(type.name, [...open, untilToday()])} className="link">
          {texts.allDue}
        </Link>
      }
    >
      {data.length === 0 ? (
        <p className="panel-empty">{texts.nothingDue}</p>
      ) : (
        <ul className="two-lines">
          {data.map((task) => (
            <TaskLine
              key={task.id}
              task={task}
              tasks={tasks}
              {...(mayFinish ? { onFinish: () => void finish(task) } : {})}
            />
          ))}
        </ul>
      )}
    </Panel>
  );
}

interface LineProps {
  readonly task: Row;
  readonly tasks: Tasks;
  readonly onFinish?: () => void;
}

function TaskLine({ task, tasks: { type, about }, onFinish }: LineProps) {
  const { types } = useCatalog();
  const title = titleOf(type, task.properties) || texts.noName;
  const due = asText(task.properties[dueProperty]);
  const isLate = dayOf(due) < today();
  const priority = type.byName.get('svc_priority');
  const linked = about
    .flatMap(({ name }) => task.associations?.[name]?.items[0] ?? [])
    .map((item) => linkedTitle(types, item))
    .filter((text) => text !== '');
  return (
    <li className="two-line">
      {onFinish !== undefined && (
        <input type="checkbox" aria-label={texts.closeTask(title)} checked={false} onChange={onFinish} />
      )}
      <div className="two-line-text">
        <Link href={paths.record(noteType, task.id)} className="linked strong one-line" title={title}>
          {title}
        </Link>
        <p className="quiet one-line">{linked[0]}</p>
      </div>
      <div className="two-line-end">
        <time className={isLate ? 'late' : ''} dateTime={due}>
          {isLate ? dateText(dayOf(due)) : timeText(due)}
        </time>
        {priority !== undefined && <p className="quiet">{valueText(task.properties['svc_priority'], priority)}</p>}
      </div>
    </li>
  );
}
