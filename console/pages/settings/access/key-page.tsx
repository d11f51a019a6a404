// A key: its name, its reach, when it ends, and what it may do. What it will see stands beside it before it is made.
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Value } from '../../../../client/main.ts';
import { paths } from '../../../app/routes.ts';
import { api } from '../../../data/api.ts';
import { asText } from '../../../data/as-text.ts';
import type { Row } from '../../../data/paged-rows.ts';
import { useCatalog, useType } from '../../../data/schema.ts';
import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { RequestButton } from '../../../parts/page-head.tsx';
import { Problem } from '../../../parts/values/value-editor.tsx';
import { keyTexts } from '../../../text/key-texts.ts';
import { settingsTexts } from '../../../text/settings-texts.ts';
import { texts } from '../../../text/texts.ts';
import { type Grants, readGrants, writeGrants } from '../grants/grants.ts';
import { GrantsPreview } from '../grants/grants-preview.tsx';
import { GrantsTable } from '../grants/grants-table.tsx';
import { SettingsFrame } from '../parts/frame.tsx';
import { textOf, useMay, usePlatform, useWrite } from '../parts/platform.ts';
import { faultyNames } from '../parts/record-fields.tsx';
import { type Ends, EndsField, endsAt, MemberField, NameField, ReachField } from './key-fields.tsx';
import { keyLink } from './known.ts';
import { SecretDialog } from './secret-dialog.tsx';
import { changedGrants, textsOf } from './stored-grants.ts';

export function KeyPage({ found }: { readonly found: Row | undefined }) {
  const may = useMay();
  return may('svc_member') ? <WithMembers found={found} /> : <Form found={found} members={[]} />;
}

function WithMembers({ found }: { readonly found: Row | undefined }) {
  const members = usePlatform('svc_member', { sort: [{ property: 'svc_name', direction: 'asc' }] });
  return <Form found={found} members={members} />;
}

function Form({ found, members }: { readonly found: Row | undefined; readonly members: readonly Row[] }) {
  const may = useMay();
  const { self } = useCatalog();
  const type = useType('svc_access_key');
  const write = useWrite();
  const [, go] = useLocation();
  const [name, setName] = useState(found === undefined ? '' : textOf(found, 'svc_name'));
  const [reach, setReach] = useState(found === undefined ? self.reach : textOf(found, 'svc_reach') || 'org');
  const [member, setMember] = useState(self.reach === 'user' ? self.principal_id : '');
  const [ends, setEnds] = useState<Ends>(found === undefined ? '90' : 'kept');
  const [grants, setGrants] = useState<Grants>(() => readGrants(textsOf(found)));
  const [state, setState] = useState<{
    readonly isSaving: boolean;
    readonly error?: unknown;
    readonly secret?: string;
  }>({
    isSaving: false,
  });
  const mayWrite = may('svc_access_key', found === undefined ? 'create' : 'update');
  const properties: Record<string, Value | null> = {
    svc_name: name.trim(),
    ...(found === undefined ? { svc_reach: reach } : {}),
    ...changedGrants(found, grants),
    ...(ends === 'kept' ? {} : { svc_expires_at: endsAt(ends) }),
  };
  const links = reach === 'user' && member !== '' ? [{ association_type: keyLink, target_id: member }] : [];
  const made = { properties: set(properties), ...(links.length === 0 ? {} : { associations: links }) };
  const save = async () => {
    setState({ isSaving: true });
    try {
      const records = api.records('svc_access_key');
      if (found === undefined) {
        const { associations = [] } = made;
        const { data } = await write(
          () => records.create(made.properties, { associations }),
          keyTexts.made(name),
          'final',
        );
        setState({ isSaving: false, secret: asText(data.properties['svc_key']) });
      } else {
        await write(() => records.update(found.id, properties), settingsTexts.done(name));
        go(paths.settings('keys'));
      }
    } catch (error) {
      setState({ isSaving: false, error });
    }
  };
  const faulty = faultyNames(state.error);
  return (
    <SettingsFrame
      title={found === undefined ? keyTexts.newKey : textOf(found, 'svc_name')}
      above={[{ label: settingsTexts.keys, href: paths.settings('keys') }]}
      actions={
        <>
          {found === undefined && <RequestButton request={{ ...request, body: made, code: codeOf(made) }} />}
          {mayWrite && (
            <>
              <Button onClick={() => go(paths.settings('keys'))}>{texts.cancel}</Button>
              <Button
                look="primary"
                className="in-words"
                disabled={state.isSaving || name.trim() === '' || writeGrants(grants).length === 0}
                onClick={() => void save()}
              >
                {state.isSaving ? texts.saving : found === undefined ? keyTexts.makeKey : texts.save}
              </Button>
            </>
          )}
        </>
      }
      beside={
        <>
          <GrantsPreview grants={grants} what="key" />
          {found === undefined && (
            <p className="preview-foot quiet">
              <Icon name="key" />
              {keyTexts.secretLater}
            </p>
          )}
        </>
      }
    >
      {state.error !== undefined && (
        <div className="settings-problem">
          <Problem error={state.error} />
        </div>
      )}
      <div className="key-fields">
        <NameField value={name} isFaulty={faulty.has('svc_name')} isReadOnly={!mayWrite} onChange={setName} />
        <ReachField
          property={type.byName.get('svc_reach')}
          value={reach}
          // A key without a member cannot get a narrower reach, and who sees less than the org gives no more.
          isFixed={!mayWrite || found !== undefined || self.reach === 'user'}
          onChange={setReach}
        />
        <EndsField
          value={ends}
          now={found === undefined ? undefined : textOf(found, 'svc_expires_at')}
          isReadOnly={!mayWrite}
          onChange={setEnds}
        />
        {found === undefined && reach === 'user' && self.reach === 'org' && (
          <MemberField members={members} value={member} onChange={setMember} />
        )}
      </div>
      <GrantsTable grants={grants} onChange={mayWrite ? setGrants : undefined} />
      {state.secret !== undefined && (
        <SecretDialog name={name} secret={state.secret} onClose={() => go(paths.settings('keys'))} />
      )}
    </SettingsFrame>
  );
}

const request = { method: 'POST', path: '/objects/svc_access_key/records/' } as const;

function codeOf({ properties, associations }: { readonly properties: object; readonly associations?: object }): string {
  const options = associations === undefined ? '' : `, { associations: ${JSON.stringify(associations)} }`;
  return `const { data } = await client.records('svc_access_key').create(${JSON.stringify(properties, null, 2)}${options});\nconsole.log(data.properties.svc_key);`;
}

function set(properties: Readonly<Record<string, Value | null>>): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, value]): [string, Value][] => (value === null ? [] : [[name, value]])),
  );
}
