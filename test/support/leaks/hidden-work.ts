// Work of others in the second org alone, while the credential asks: private records, types that are not granted, links to
// what the credential sees, and the same idempotency keys with another body. Nothing of it may show.
import { item, runBatch, succeed } from '../batch.ts';
import type { Random } from '../random.ts';
import type { Making } from './builder.ts';
import { hiddenWord } from './hidden-values.ts';
import { visibleCounts } from './world.ts';

/** More records than this are not made; the work goes on with those that there are. */
const madeMax = 300;

export class HiddenWork {
  readonly #side: Making;
  readonly #random: Random;
  readonly #made: { readonly type: string; readonly id: string }[] = [];
  done = 0;

  constructor(side: Making, random: Random) {
    this.#side = side;
    this.#random = random;
  }

  async doSome(): Promise<void> {
    const random = this.#random;
    this.done++;
    if (this.#made.length > 0 && (this.#made.length >= madeMax || random.chance(0.5))) await this.#change();
    else
      await random.oneOf(
        () =>
          this.#private('svc_contact', { svc_last_name: `Alpha ${hiddenWord}` }, 'svc_contact_to_company', 'company'),
        () => this.#private('thing', { label: `alpha ${hiddenWord}`, size: '2' }, 'thing_to_person', 'contact'),
        () => this.#ofHiddenType('svc_deal', { svc_name: hiddenWord }, 'svc_deal_to_contact', 'contact'),
        () => this.#ofHiddenType('svc_note', { svc_title: hiddenWord }, 'svc_note_to_company', 'company'),
        () => this.#ofHiddenType('secret_person', { secret_code: hiddenWord }, 'secret_to_contact', 'contact'),
      );
  }

  /** The id of a visible record. */
  #visible(sort: keyof typeof visibleCounts): string {
    return this.#side.meanings.get(`«${sort}${this.#random.below(visibleCounts[sort])}»`) ?? '';
  }

  /** It loses its org link in the very request that makes it, so that nobody else ever saw it. */
  async #private(type: string, properties: object, association_type: string, sort: keyof typeof visibleCounts) {
    const associations = [{ association_type, target_id: this.#visible(sort) }];
    const org = { association_type: 'svc_record_to_org', target_id: String(this.#side.orgId) };
    const [made] = await succeed(this.#side.theirs, [
      item('create', type, { ref: 'it', properties, associations }),
      item('dissociate', type, { id: { ref: 'it' }, ...org }),
    ]);
    this.#note(type, made?.id);
  }

  /** By another key, whose idempotency keys are its own. */
  async #ofHiddenType(type: string, properties: object, association_type: string, sort: keyof typeof visibleCounts) {
    const associations = [{ association_type, target_id: this.#visible(sort) }];
    const headers = { 'idempotency-key': `key-${this.#random.below(30)}` };
    const operations = [item('create', type, { properties, associations })];
    // The key may have been used with another body before; then nothing is made.
    const { status, body } = await runBatch(this.#side.all, operations, {}, headers);
    if (status === 200) this.#note(type, body.data.results[0].id);
  }

  async #change(): Promise<void> {
    const { type, id } = this.#random.pick(this.#made);
    const names: Readonly<Record<string, string>> = {
      svc_contact: 'svc_headline',
      thing: 'label',
      svc_deal: 'svc_name',
      svc_note: 'svc_title',
      secret_person: 'secret_code',
    };
    const properties = { [names[type] ?? '']: `${hiddenWord} ${this.#random.below(1_000)}` };
    await succeed(this.#side.all, [
      item('update', type, { id, properties }),
      ...(this.#random.chance(0.2) ? [item('delete', type, { id }), item('restore', type, { id })] : []),
    ]);
  }

  #note(type: string, id: string | undefined): void {
    if (id === undefined || this.#side.hiddenIds.includes(id)) return;
    this.#made.push({ type, id });
    this.#side.hiddenIds.push(id);
  }
}
