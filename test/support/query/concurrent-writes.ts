// Pages through a type while some of its records come, go and change: those that stay as they are must come exactly once.
import { expect } from 'vitest';
import { item, succeed } from '../batch.ts';
import type { Random } from '../random.ts';
import { askPage } from './ask.ts';
import { propertiesOf, type QueryCaller } from './data.ts';
import type { SortKey } from './model.ts';
import type { ModelType } from './world.ts';

export class Stirred {
  readonly #random: Random;
  readonly #caller: QueryCaller;
  readonly #type: ModelType;
  readonly #staying: ReadonlySet<string>;
  readonly #changing: Set<string>;
  readonly #trash = new Set<string>();

  /** A third of the records of the type is changed from now on. */
  constructor(random: Random, caller: QueryCaller, type: string) {
    const all = caller.model.answer(type, {});
    this.#random = random;
    this.#caller = caller;
    this.#type = caller.model.world.types.get(type) as ModelType;
    this.#changing = new Set(all.filter((_, index) => index % 3 === 0));
    this.#staying = new Set(all.filter((id) => !this.#changing.has(id)));
  }

  async pagesHold(sort: readonly SortKey[], what: string): Promise<void> {
    const { client, model } = this.#caller;
    const { name } = this.#type;
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const limit = this.#random.between(10, 40);
      const page = await askPage(client, name, { sort, limit, ...(cursor !== null && { cursor }) });
      seen.push(...page.ids);
      cursor = page.next;
      if (cursor !== null) await this.#stir();
    } while (cursor !== null);
    const expected = model.answer(name, { sort }).filter((id) => this.#staying.has(id));
    const stayed = seen.filter((id) => this.#staying.has(id));
    expect(stayed, `${what} ${JSON.stringify(sort)}`).toEqual(expected);
  }

  /** Between two pages: some of the changing records are changed, deleted or restored, and new ones are made. */
  async #stir(): Promise<void> {
    const random = this.#random;
    const { name } = this.#type;
    const properties = (place: number) => propertiesOf(random, this.#type, place);
    const [gone, back] = [this.#take(this.#changing, 3), this.#take(this.#trash, 1)];
    const results = await succeed(this.#caller.client, [
      ...gone.map((id) => item('delete', name, { id })),
      ...back.map((id) => item('restore', name, { id })),
      ...random.some([...this.#changing], 8).map((id) => item('update', name, { id, properties: properties(0) })),
      ...random.times(2, (place) => item('create', name, { properties: properties(place) })),
    ]);
    for (const id of gone) this.#trash.add(id);
    for (const id of back) this.#changing.add(id);
    for (const { status, id } of results) if (status === 201 && id !== undefined) this.#changing.add(id);
  }

  #take(from: Set<string>, count: number): readonly string[] {
    const taken = this.#random.some([...from], count);
    for (const id of taken) from.delete(id);
    return taken;
  }
}
