// Sends generated queries to a service and compares its answers with the model: filters, and sorts page by page. What
// fails is reported with the seed of the run and, for filters, with the smallest one on which both still differ.
import { expect } from 'vitest';
import type { Random } from '../random.ts';
import { askAll } from './ask.ts';
import type { QueryCaller, QueryOrg } from './data.ts';
import type { Filter, Question, SortKey } from './model.ts';
import { Searches } from './searches.ts';
import { smallest } from './shrink.ts';
import { Trees } from './trees.ts';
import { notSortable } from './values.ts';

interface FilterTrial {
  readonly caller: QueryCaller;
  readonly type: string;
  readonly filter: Filter;
}

interface PageTrial {
  readonly caller: QueryCaller;
  readonly type: string;
  readonly question: Question;
  /** The limits of its pages, one after the other, from the start again when they are used up. */
  readonly limits: readonly number[];
}

type Outcome = 'none' | 'some' | 'all';

const manyTypes = ['specimen', 'specimen', 'specimen', 'svc_contact', 'svc_company', 'svc_deal'];

export class Trials {
  readonly #seed: number;
  readonly #random: Random;
  readonly #org: QueryOrg;

  constructor(seed: number, random: Random, org: QueryOrg) {
    this.#seed = seed;
    this.#random = random;
    this.#org = org;
  }

  everyOperator(types = this.#org.types): readonly FilterTrial[] {
    const [caller] = this.#org.callers;
    const trees = new Trees(this.#random, caller.model);
    return types.flatMap((type) => trees.everyOperator(type).map((filter) => ({ caller, type, filter })));
  }

  /** Three of five by the caller that sees everything. */
  filters(count: number): readonly FilterTrial[] {
    return this.#random.times(count, (index) => {
      const caller = this.#org.callers[index % 5 === 0 ? 1 : index % 5 === 1 ? 2 : 0];
      const type = this.#random.pick(manyTypes);
      return { caller, type, filter: new Trees(this.#random, caller.model).tree(type) };
    });
  }

  everySort(): readonly PageTrial[] {
    const [caller] = this.#org.callers;
    return this.#org.types.flatMap((type) =>
      this.sortable(type).flatMap((property) =>
        (['asc', 'desc'] as const).map((direction) => {
          const limits = [this.#random.between(20, 60)];
          return { caller, type, question: { sort: [{ property, direction }] }, limits };
        }),
      ),
    );
  }

  /** Sorts of up to three keys, some with a filter, a search, or both. */
  sorts(count: number): readonly PageTrial[] {
    const random = this.#random;
    return random.times(count, () => {
      const caller = random.pick(this.#org.callers);
      const type = random.pick(manyTypes);
      const question = {
        ...(random.chance(0.9) && { sort: this.sort(type) }),
        ...(random.chance(0.3) && { filter: new Trees(random, caller.model).tree(type) }),
        ...(random.chance(0.15) && { search: new Searches(random, caller.model).search(type) }),
      };
      const most = random.pick([6, 20, 60]);
      const limits = random.times(random.between(1, 5), () => random.between(Math.max(1, most - 8), most));
      return { caller, type, question, limits };
    });
  }

  sort(type: string): readonly SortKey[] {
    const properties = this.#random.some(this.sortable(type), this.#random.between(1, 3));
    return properties.map((property) => ({ property, direction: this.#random.pick(['asc', 'desc'] as const) }));
  }

  sortable(type: string): readonly string[] {
    return [...(this.#org.callers[0].model.world.types.get(type)?.properties.values() ?? [])]
      .filter(({ field_type, multi_valued }) => !multi_valued && !notSortable.includes(field_type))
      .map(({ name }) => name);
  }

  /** Fails if service and model differ; otherwise returns how many records the filter finds. */
  async filterAgrees(trial: FilterTrial): Promise<Outcome> {
    const { caller, type, filter } = trial;
    const expected = caller.model.answer(type, { filter });
    if ((await difference(trial, filter, expected)).length > 0) {
      const small = await smallest(filter, async (each) => (await difference(trial, each)).length > 0);
      const [place = ''] = await difference(trial, small);
      const record = caller.model.world.records.get(place.split(': ')[1] ?? '');
      const what = [`QUERY_SEED=${this.#seed}`, `caller ${caller.name}`, type, JSON.stringify(small), place];
      expect.fail([...what, JSON.stringify(record ?? null).slice(0, 20_000)].join('\n'));
    }
    if (expected.length === 0) return 'none';
    return expected.length === caller.model.visible(type).length ? 'all' : 'some';
  }

  async pagesAgree({ caller, type, question, limits }: PageTrial): Promise<void> {
    const expected = caller.model.answer(type, question);
    const what = `QUERY_SEED=${this.#seed} caller ${caller.name} ${type} limits ${limits.join()}`;
    let page = 0;
    const answered = await askAll(caller.client, type, question, () => limits[page++ % limits.length] ?? 1).catch(
      (error: unknown) => expect.fail(`${what} page ${page}\n${String(error)}`),
    );
    if (JSON.stringify(answered) === JSON.stringify(expected)) return;
    const place = expected.findIndex((id, index) => answered[index] !== id);
    const told = (id: string | undefined) => {
      const properties = caller.model.world.records.get(id ?? '')?.properties ?? {};
      return `${id} ${JSON.stringify((question.sort ?? []).map(({ property }) => properties[property] ?? null))}`;
    };
    const counts = `answered ${answered.length} (${new Set(answered).size} different), expected ${expected.length}`;
    const seen = `answered at ${place}: ${told(answered[place])}`;
    const wanted = `expected at ${place}: ${told(expected[place])}`;
    expect.fail([what, JSON.stringify(question), counts, seen, wanted].join('\n'));
  }
}

/** Records that only the service or only the model finds; empty when they agree. */
async function difference(
  { caller, type }: FilterTrial,
  filter: Filter,
  expected = caller.model.answer(type, { filter }),
): Promise<readonly string[]> {
  const answered = await askAll(caller.client, type, { filter }).catch((error: unknown) => String(error));
  if (typeof answered === 'string') return [answered.slice(0, 1_000)];
  if (JSON.stringify(answered) === JSON.stringify(expected)) return [];
  const extra = answered.filter((id) => !expected.includes(id)).map((id) => `should not be found: ${id}`);
  const missing = expected.filter((id) => !answered.includes(id)).map((id) => `should be found: ${id}`);
  return [...extra, ...missing, `answered ${answered.length}, expected ${expected.length}`];
}
