// Who sees a record: the whole org, or only the people that it is linked with.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../data/api.ts';
import { ownerLink } from '../../data/highlights.ts';
import { type TypeDetail, useCatalog } from '../../data/schema.ts';
import { Icon } from '../../parts/icon.tsx';
import { Menu, MenuCheck } from '../../parts/menu.tsx';
import { messages } from '../../parts/toasts.tsx';
import { texts } from '../../text/texts.ts';
import { linkedQuery } from './record-data.ts';

export function Visibility({ type, id }: { readonly type: TypeDetail; readonly id: string }) {
  const { self } = useCatalog();
  const orgLink = type.links.find(
    ({ target_type: target, direction }) => target === 'svc_org' && direction === 'outgoing',
  );
  const owners = ownerLink(type);
  const { data: org } = useQuery({
    ...linkedQuery(type.name, id, orgLink),
    enabled: orgLink !== undefined,
  });
  const { data: people } = useQuery({
    ...linkedQuery(type.name, id, owners),
    enabled: owners !== undefined,
  });
  const queries = useQueryClient();
  if (orgLink === undefined || org === undefined) return null;
  const isShared = org.items.length > 0;
  const mayChange = orgLink.writable && type.writable_operations.includes('associate');
  const share = async (isWhole: boolean) => {
    const operation = isWhole ? 'putAssociation' : 'deleteAssociation';
    try {
      const { requestId } = await api.records(type.name)[operation](id, orgLink.name, String(self.org_id));
      messages.done(texts.changed(1), requestId);
    } catch (error) {
      messages.failed(error);
    }
    await queries.invalidateQueries({ queryKey: ['records', type.name, 'linked', id] });
  };
  const names = (people?.items ?? []).map(({ title }) => title ?? '').join(', ');
  const label = isShared ? texts.wholeOrg : texts.onlyPeople(names);
  if (!mayChange) {
    return (
      <span className="quiet sharing">
        <Icon name={isShared ? 'people' : 'lock'} />
        {label}
      </span>
    );
  }
  return (
    <Menu
      label={texts.whoSees}
      align="end"
      button={{
        className: 'button plain sharing',
        content: (
          <>
            <Icon name={isShared ? 'people' : 'lock'} />
            <span className="one-line">{label}</span>
          </>
        ),
      }}
    >
      {(close) =>
        [true, false].map((isWhole) => (
          <MenuCheck
            key={String(isWhole)}
            kind="one"
            isChecked={isShared === isWhole}
            onChoose={() => {
              close();
              if (isShared !== isWhole) void share(isWhole);
            }}
          >
            {isWhole ? texts.wholeOrg : texts.onlyPeople(names)}
          </MenuCheck>
        ))
      }
    </Menu>
  );
}
