// What a key will see, before it is made: type by type, what does not exist for it, a record as it reads it, and the grants as text.
import { useQueries, useQuery } from '@tanstack/react-query';
import { api } from '../../../data/api.ts';
import { type TypeDetail, typeQuery, useCatalog } from '../../../data/schema.ts';
import { Icon, typeIcon } from '../../../parts/icon.tsx';
import { grantTexts } from '../../../text/grant-texts.ts';
import { listText } from '../../../text/locale.ts';
import { type Given, type Grants, givenOf, inOrder, operations, writeGrants } from './grants.ts';

/** Types that are told one by one; of more, the rest is counted. */
const toldMost = 8;

interface Seen {
  readonly detail: TypeDetail;
  readonly given: Given;
}

export function GrantsPreview({ grants, what }: { readonly grants: Grants; readonly what: 'key' | 'role' }) {
  const { types } = useCatalog();
  const seen = inOrder(types).filter((type) => givenOf(grants, type).operations.size > 0);
  const details = useQueries({ queries: seen.slice(0, toldMost).map(({ name }) => typeQuery(name)) });
  const told = details.flatMap(({ data }): Seen[] =>
    data === undefined ? [] : [{ detail: data, given: givenOf(grants, data) }],
  );
  const lines = writeGrants(grants);
  return (
    <div className="preview">
      <section>
        <h2>{grantTexts.willSee[what]}</h2>
        {seen.length === 0 && <p className="quiet">{grantTexts.seesNothing}</p>}
        <ul className="preview-types">
          {told.map((each) => (
            <SeenType key={each.detail.name} {...each} />
          ))}
        </ul>
        {seen.length > toldMost && <p className="quiet">{grantTexts.andTypes(seen.length - toldMost)}</p>}
      </section>
      <Unseen total={types.length} seen={seen.length} told={told} />
      <Sample seen={told} what={what} />
      {lines.length > 0 && (
        <section>
          <h2>{grantTexts.asGrant}</h2>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long text is scrolled by keyboard. */}
          <pre className="preview-code" tabIndex={0}>
            {lines.map((line) => line.replaceAll(';', '\n  ;')).join('\n')}
          </pre>
        </section>
      )}
    </div>
  );
}

function SeenType({ detail, given }: Seen) {
  const all = detail.properties.length;
  const hidden = detail.properties.filter(({ name }) => given.hidden.has(name)).length;
  const locked = detail.properties.filter(({ name }) => given.locked.has(name)).map(({ label }) => label);
  // What a type does not have it does not do.
  const writable: readonly string[] = detail.writable_operations;
  const verbs = operations
    .filter((each) => each === 'read' || (given.operations.has(each) && writable.includes(each)))
    .map((each) => grantTexts.verbs[each]);
  return (
    <li>
      <Icon name={typeIcon(detail)} />
      <div className="grow">
        <p className="preview-type">
          <span className="one-line">{detail.plural_label}</span>
          <span className="quiet figures">{grantTexts.someProperties(all - hidden, all)}</span>
        </p>
        <p className="quiet">
          {grantTexts.does(listText(verbs))}
          {locked.length > 0 && `; ${grantTexts.cannotChange(listText(locked))}`}
        </p>
      </div>
    </li>
  );
}

/** What it will not know of is said as plainly as what it sees. */
function Unseen({
  total,
  seen,
  told,
}: {
  readonly total: number;
  readonly seen: number;
  readonly told: readonly Seen[];
}) {
  const hidden = told.flatMap(({ detail, given }) => {
    const labels = detail.properties.filter(({ name }) => given.hidden.has(name)).map(({ label }) => label);
    return labels.length === 0 ? [] : [grantTexts.hiddenOf(detail.label, labels.join(', '))];
  });
  const narrowed = told
    .filter(({ given }) => given.operations.has('delete') && given.hidden.size + given.locked.size > 0)
    .map(({ detail }) => detail.plural_label.toLowerCase());
  if (seen === 0 || (total === seen && hidden.length === 0)) return null;
  const parts = [...(total > seen ? [grantTexts.otherTypes(total - seen)] : []), ...hidden];
  return (
    <section className="preview-unseen">
      <h2>
        <Icon name="hidden" />
        {grantTexts.willNotKnow}
      </h2>
      <p>{`${parts.join('; ')}.${narrowed.length === 0 ? '' : ` ${grantTexts.noMerge(listText(narrowed))}`}`}</p>
    </section>
  );
}

/** A record of the first type, without what is hidden: the newest change of the table is seen at once. */
function Sample({ seen, what }: { readonly seen: readonly Seen[]; readonly what: 'key' | 'role' }) {
  const first = seen.find(({ detail }) => detail.category !== 'platform');
  const name = first?.detail.name ?? '';
  const { data: record } = useQuery({
    queryKey: ['records', name, 'sample'],
    queryFn: async ({ signal }) =>
      (
        await api
          .records(name)
          .query({ limit: 1, sort: [{ property: 'svc_updated_at', direction: 'desc' }] }, { signal })
          .first()
      ).data[0] ?? null,
    enabled: first !== undefined,
    throwOnError: false,
  });
  if (first === undefined || record === undefined || record === null) return null;
  const visible = Object.entries(record.properties).filter(([property]) => !first.given.hidden.has(property));
  const text = JSON.stringify({ object_type: name, properties: Object.fromEntries(visible) }, null, 2);
  return (
    <section>
      <h2>{grantTexts.asItReads[what](first.detail.label)}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long text is scrolled by keyboard. */}
      <pre className="preview-code" tabIndex={0}>
        <JsonText text={text} />
      </pre>
    </section>
  );
}

/** Names and texts stand out, as in an editor. */
function JsonText({ text }: { readonly text: string }) {
  const pieces = text.split(/("(?:[^"\\]|\\.)*"(?:\s*:)?)/);
  return pieces.map((piece, index) => {
    const look = !piece.startsWith('"') ? undefined : piece.endsWith(':') ? 'json-name' : 'json-text';
    return look === undefined ? (
      piece
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text have no other names.
      <span key={index} className={look}>
        {piece}
      </span>
    );
  });
}
