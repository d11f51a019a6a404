// What can be done with a record as a whole: merge it with another, or delete it.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { paths } from '../../app/routes.ts';
import { api } from '../../data/api.ts';
import type { Row } from '../../data/paged-rows.ts';
import type { TypeDetail } from '../../data/schema.ts';
import { Icon } from '../../parts/icon.tsx';
import { Menu, MenuItem } from '../../parts/menu.tsx';
import { MergeDialog, mayMerge } from '../../parts/merge-dialog.tsx';
import { messages } from '../../parts/toasts.tsx';
import { texts } from '../../text/texts.ts';

export function RecordMenu({ type, row }: { readonly type: TypeDetail; readonly row: Row }) {
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [isMerging, setMerging] = useState(false);
  if (!type.writable_operations.includes('delete')) return null;
  const remove = async () => {
    try {
      const { requestId } = await api.records(type.name).delete(row.id as never, { ifMatch: row.version });
      messages.done(texts.deleted(1), requestId);
      go(paths.table(type.name));
      await queries.invalidateQueries({ queryKey: ['records', type.name] });
    } catch (error) {
      messages.failed(error);
    }
  };
  return (
    <>
      <Menu
        label={texts.actions}
        align="end"
        button={{ className: 'button plain only-icon', label: texts.actions, content: <Icon name="more" /> }}
      >
        {(close) => (
          <>
            {mayMerge(type) && (
              <MenuItem
                onChoose={() => {
                  close();
                  setMerging(true);
                }}
              >
                <Icon name="merge" />
                {texts.mergeWith}
              </MenuItem>
            )}
            <MenuItem look="danger" onChoose={() => void remove()}>
              <Icon name="trash" />
              {texts.delete}
            </MenuItem>
          </>
        )}
      </Menu>
      {isMerging && (
        <MergeDialog
          type={type}
          id={row.id}
          onClose={() => setMerging(false)}
          onMerged={(kept) => {
            go(paths.record(type.name, kept));
            void queries.invalidateQueries({ queryKey: ['records', type.name] });
          }}
        />
      )}
    </>
  );
}
