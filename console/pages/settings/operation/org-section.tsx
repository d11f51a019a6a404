// What holds for the whole org: its name, what the caller may do in it, and its limits. The operator of the service changes it.
import { useQuery } from '@tanstack/react-query';
import { auth } from '../../../app/auth.ts';
import { api } from '../../../data/api.ts';
import { useCatalog } from '../../../data/schema.ts';
import { keyTexts } from '../../../text/key-texts.ts';
import { numberText } from '../../../text/locale.ts';
import { operationTexts } from '../../../text/operation-texts.ts';
import { settingsTexts } from '../../../text/settings-texts.ts';
import { Copyable } from '../parts/copy.tsx';
import { Part, SettingsFrame } from '../parts/frame.tsx';

export function OrgSection() {
  const { self } = useCatalog();
  const { org_id: orgId, limits } = self;
  const { data: ways } = useQuery({ queryKey: ['org', orgId], queryFn: () => auth.ways(orgId), throwOnError: false });
  const { data: root } = useQuery({
    queryKey: ['service'],
    queryFn: async ({ signal }) => (await api.getRoot({ signal })).data,
    throwOnError: false,
  });
  const named = (Object.keys(operationTexts.limitNames) as (keyof typeof operationTexts.limitNames)[]).map((name) => ({
    label: operationTexts.limitNames[name],
    value: numberText(String(limits[name])),
  }));
  const rate = limits.rate_limit;
  return (
    <SettingsFrame title={ways?.org_name ?? settingsTexts.org}>
      <p className="settings-intro">{operationTexts.orgIntro}</p>
      <Part title={settingsTexts.org}>
        <dl className="facts settings-facts">
          <dt>{settingsTexts.name}</dt>
          <dd>{ways?.org_name}</dd>
          <dt>{operationTexts.orgNumber}</dt>
          <dd className="figures">{orgId}</dd>
          <dt>{operationTexts.serviceVersion}</dt>
          <dd className="figures">{root === undefined ? '' : `${root.name} ${root.version}`}</dd>
        </dl>
      </Part>
      <Part title={operationTexts.yourRights}>
        <dl className="facts settings-facts">
          <dt>{operationTexts.reach}</dt>
          <dd>{self.reach === 'org' ? keyTexts.seesAll : keyTexts.seesShared}</dd>
          <dt>{operationTexts.grants}</dt>
          <dd className="mono">
            {self.grants.map(({ object_types: types, operations }) => (
              <p key={`${types.join()}:${operations.join()}`}>{`${types.join()}:${operations.join()}`}</p>
            ))}
          </dd>
        </dl>
      </Part>
      <Part title={operationTexts.limits}>
        <dl className="facts settings-facts">
          <dt>{operationTexts.rateLimit}</dt>
          <dd>{operationTexts.perWindow(numberText(String(rate.quota)), numberText(String(rate.window_seconds)))}</dd>
          {named.map(({ label, value }) => (
            <div key={label} className="fact">
              <dt>{label}</dt>
              <dd className="figures">{value}</dd>
            </div>
          ))}
        </dl>
      </Part>
      <Part title={operationTexts.changeIt}>
        <div className="commands">
          <Command label={operationTexts.commandName} text={`orrery org update ${orgId} --name "NAME"`} />
          <Command label={operationTexts.commandRate} text={`orrery org update ${orgId} --rate-limit 6000/60`} />
          <Command label={operationTexts.commandQuota} text={`orrery org update ${orgId} --storage-quota 10GB`} />
        </div>
      </Part>
    </SettingsFrame>
  );
}

function Command({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div className="form-line">
      <p className="label">{label}</p>
      <Copyable label={label} text={text} />
    </div>
  );
}
