// Builds the two orgs: the same visible records, and others that are hidden, step by step in both. What is hidden loses
// its org link in the very request that makes it, so that it was never in anybody's feed.
import { expect } from 'vitest';
import { newId } from '../../../src/base/id.ts';
import { item, succeed } from '../batch.ts';
import type { Client } from '../client.ts';
import { recordsPath } from '../records.ts';
import type { TestService } from '../service.ts';
import { Side } from './side.ts';

/** A word that no answer may have unless the request had it: only hidden records have it. */
export const hiddenWord = 'xyzzy';

type Values = Readonly<Record<string, unknown>>;
/** Association type and the word of the target. */
type LinkWord = readonly [string, string];

interface Hidden {
  readonly word: string;
  readonly type: string;
  /** Without values for it, the first org does not have the record at all. */
  readonly plain?: Values;
  readonly full: Values;
  readonly links?: readonly LinkWord[];
  /** Linked to another user; else to none. */
  readonly theirs?: true;
}

export class Build {
  readonly sides: readonly [Side, Side];

  constructor(sides: readonly [Side, Side]) {
    this.sides = sides;
  }

  /** A record that is the same in both orgs; `hidden` links lead to hidden records, in the second org alone. */
  async show(
    word: string,
    type: string,
    values: Values = {},
    links: readonly LinkWord[] = [],
    hidden: readonly LinkWord[] = [],
  ): Promise<void> {
    for (const side of this.sides) {
      const wanted = side.full ? [...links, ...hidden] : links;
      const { status, body, text } = await side.keys.all.post(recordsPath(type), {
        properties: values,
        associations: linksOf(side, wanted),
      });
      expect(status, text).toBe(201);
      side.name(word, body.data.id);
    }
  }

  async hide({ word, type, plain, full, links = [], theirs }: Hidden): Promise<void> {
    for (const side of this.sides) {
      const properties = side.full ? full : plain;
      if (properties === undefined) {
        side.name(word, newId());
        continue;
      }
      const org = { association_type: 'svc_record_to_org', target_id: String(side.orgId) };
      const [made] = await succeed(theirs ? side.keys.theirs : side.keys.all, [
        item('create', type, { ref: 'it', properties, associations: linksOf(side, links) }),
        item('dissociate', type, { id: { ref: 'it' }, ...org }),
      ]);
      side.name(word, made?.id ?? '');
      side.hiddenIds.push(made?.id ?? '');
    }
  }

  /** Items of batches in both orgs, each on its own; `full` ones in the second org alone. */
  async run(items: readonly object[], where: 'both' | 'full' = 'both'): Promise<void> {
    for (const side of this.sides) {
      if (where === 'full' && !side.full) continue;
      for (const each of items) {
        await succeed(side.keys.all, [JSON.parse(side.inItsIds(JSON.stringify(each)))]);
      }
    }
  }

  /** Names what there is of a type by a property of it. */
  async nameAll(type: string, property: string): Promise<void> {
    for (const side of this.sides) {
      const { body } = await side.keys.all.get(`${recordsPath(type)}?limit=500`);
      for (const { id, properties } of body.data) side.name(`«${type} ${properties[property]}»`, id);
    }
  }
}

function linksOf(side: Side, links: readonly LinkWord[]): readonly object[] {
  return links.map(([association_type, word]) => ({ association_type, target_id: side.id(word) }));
}

export const link = (type: string, word: string, association_type: string, target_id: string) =>
  item('associate', type, { id: word, association_type, target_id });

/** An org with the keys of a side. */
export async function createSide(service: TestService, schema: unknown, kind: 'plain' | 'full'): Promise<Side> {
  const orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  await service.applySchema(orgId, schema);
  const [userId, other] = [await service.createUser(orgId), await service.createUser(orgId)];
  const named: [string, string][] = [
    ['«my user»', userId],
    ['«other user»', other],
  ];
  const key = async (word: string, more: object): Promise<Client> => {
    const issued = await service.createKey(orgId, more);
    named.push([word, issued.credentialId]);
    return service.client(issued.key);
  };
  const keys = {
    me: await key('«key of mine»', { userId, reach: 'user' }),
    all: await key('«key of all»', {}),
    mine: await key('«second key»', { userId }),
    theirs: await key('«key of theirs»', { userId: other }),
  };
  const side = new Side(orgId, keys, kind);
  for (const [word, meaning] of named) side.name(word, meaning);
  return side;
}
