// The open tasks of a record, the most urgent first. A tick closes one.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { paths } from '../../app/routes.ts';
import { dueProperty, noteType } from '../../data/activities.ts';
import { api } from '../../data/api.ts';
import { asText } from '../../data/as-text.ts';
import type { Row } from '../../data/paged-rows.ts';
import { stageLinksOf, type TypeDetail, titleOf, useMaybeType } from '../../data/schema.ts';
import { useStages } from '../../data/stages.ts';
import { messages } from '../../parts/toasts.tsx';
import { dateText, localInputText } from '../../text/locale.ts';
import { texts } from '../../text/texts.ts';
import { tasksQuery } from './tasks.ts';

export function TasksPanel({ type, id }: { readonly type: TypeDetail; readonly id: string }) {
  const note = useMaybeType(noteType);
  const { data: tasks = [] } = useQuery(tasksQuery(type, id, note));
  const [status] = note === undefined ? [] : stageLinksOf(note);
  const closed = useStages(useMaybeType(status?.target_type)).find(({ isClosed }) => isClosed);
  const queries = useQueryClient();
  if (note === undefined || tasks.length === 0) return null;
  const mayClose = status?.writable === true && note.writable_operations.includes('associate') && closed !== undefined;
  const close = async (task: Row) => {
    if (status === undefined || closed === undefined) return;
    try {
      const { requestId } = await api.records(noteType).putAssociation(task.id, status.name, closed.id);
      messages.done(texts.taskDone, requestId);
    } catch (error) {
      messages.failed(error);
    }
    await queries.invalidateQueries({ queryKey: ['records', type.name, 'linked', id] });
  };
  return (
    <section className="panel" data-part="tasks">
      <h2>{texts.openTasks}</h2>
      <ul className="linked-list">
        {tasks.map((task) => {
          const title = titleOf(note, task.properties) || texts.noName;
          const due = asText(task.properties[dueProperty]);
          return (
            <li key={task.id} className="linked-line">
              {mayClose && (
                <input
                  type="checkbox"
                  aria-label={texts.closeTask(title)}
                  checked={false}
                  onChange={() => void close(task)}
                />
              )}
              <Link href={paths.record(noteType, task.id)} className="one-line linked">
                {title}
              </Link>
              <span className={Date.parse(due) < Date.now() ? 'late figures' : 'quiet figures'}>
                {dateText(localInputText(due).slice(0, 10))}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
