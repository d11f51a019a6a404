// Cards that are on their way: each stands where it goes until the service has answered, and returns if it refuses.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { AssociationType } from '../../../client/main.ts';
import { api } from '../../data/api.ts';
import type { Row } from '../../data/paged-rows.ts';
import type { TypeDetail } from '../../data/schema.ts';
import { messages } from '../../parts/toasts.tsx';
import { texts } from '../../text/texts.ts';

export interface Move {
  readonly row: Row;
  readonly from: string;
  readonly to: string;
}

export function useMoves(type: TypeDetail, link: AssociationType) {
  const [moves, setMoves] = useState<ReadonlyMap<string, Move>>(new Map());
  const queries = useQueryClient();
  const move = async (next: Move) => {
    if (next.from === next.to) return;
    const { id, version } = next.row;
    setMoves((before) => new Map(before).set(id, next));
    try {
      const { requestId } = await api.records(type.name).putAssociation(id, link.name, next.to, { ifMatch: version });
      messages.done(texts.moved, requestId);
    } catch (error) {
      messages.failed(error);
    } finally {
      await queries.invalidateQueries({ queryKey: ['records', type.name] });
      setMoves((before) => {
        const after = new Map(before);
        after.delete(id);
        return after;
      });
    }
  };
  return { moves, move };
}
