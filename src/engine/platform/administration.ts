// What a unit has done to the administration of its org, kept until its end: entries of the audit, and secrets of keys. They
// are written in the transaction of what they tell, and then every process learns that the org has changed.
import { principalId } from '../../access/caller.ts';
import { emailDigest } from '../../access/secret-text.ts';
import { isoText } from '../../base/clock.ts';
import type { Json } from '../../base/json.ts';
import { platformTypes } from '../../schema/roles/platform.ts';
import type { Transaction } from '../../store/database.ts';
import { closeKeys, insertSecret, type NewSecret, retireSecrets } from '../../store/org/credentials.ts';
import { raiseRevision } from '../../store/org/revision.ts';
import { removeLinksBy, removeLinksOf } from '../../store/sign-in/links.ts';
import { rememberEmail } from '../../store/sign-in/members.ts';
import { removePassword } from '../../store/sign-in/passwords.ts';
import { endSessions } from '../../store/sign-in/sessions.ts';
import { isOperator } from '../process/call.ts';
import { type Draft, newDraft, textOf } from '../unit/draft.ts';
import { withoutLong } from '../unit/long-values.ts';
import type { RuleBook, Unit } from '../unit/unit.ts';

/** Something that was done, and to which record. The detail has names, never values. */
export interface AuditNote {
  readonly action: string;
  readonly about?: Pick<Draft, 'type' | 'id'>;
  readonly detail?: string;
}

interface MadeSecret extends NewSecret {
  /** The whole key. It is in the answer that made it, and nowhere else. */
  readonly text: string;
  /** How long the former secrets still work; undefined for a new key. */
  readonly graceSeconds: number | undefined;
}

export class Administration implements RuleBook {
  readonly ending = { phase: 'administration', run: (unit: Unit) => this.#end(unit) } as const;
  readonly #notes: AuditNote[] = [];
  readonly #secrets: MadeSecret[] = [];
  /** Keys for the answers that are yet to be given, by their records. */
  readonly #untold = new Map<string, string>();
  readonly #closed: string[] = [];
  /** The members who cannot sign in any more. */
  readonly #leaving: Pick<Draft, 'type' | 'id'>[] = [];
  readonly #deleted: Draft[] = [];
  /** The members, and the keys, whose rights change: links that they were given or have made work no more. */
  readonly #withdrawn: string[] = [];
  readonly #narrowed: string[] = [];
  /** The names of definitions that have changed. */
  readonly #definitions = new Set<string>();

  note(note: AuditNote): void {
    this.#notes.push(note);
  }

  /** All changes of the schema in one unit make one entry. */
  noteSchema(name: string): void {
    this.#definitions.add(name);
  }

  makeSecret(secret: MadeSecret): void {
    this.#secrets.push(secret);
    this.#untold.set(secret.recordId, secret.text);
  }

  closeKey(credentialId: string): void {
    this.#closed.push(credentialId);
  }

  /** Ends the sessions of a member, who cannot sign in any more, and withdraws the links that it was given. */
  closeSessions(member: Pick<Draft, 'type' | 'id'>): void {
    this.#leaving.push(member);
  }

  /** The same for a member who is deleted: its password goes, and its address is remembered. */
  forgetMember(member: Draft): void {
    this.#leaving.push(member);
    this.#deleted.push(member);
  }

  /** Withdraws the links of members whose rights change: the maker of a link may not have the new rights. */
  withdrawLinks(memberIds: readonly string[]): void {
    this.#withdrawn.push(...memberIds);
  }

  /** Withdraws the links that a key has made, whose rights change. */
  withdrawLinksOfKey(credentialId: string): void {
    this.#narrowed.push(credentialId);
  }

  /** The key for the answer that made it, and for no other. */
  takeKey(recordId: string): string | undefined {
    const key = this.#untold.get(recordId);
    this.#untold.delete(recordId);
    return key;
  }

  async #end(unit: Unit): Promise<void> {
    const { transaction, call } = unit;
    const { orgId } = call.session.caller;
    if (this.#definitions.size > 0) this.note({ action: 'schema.changed', detail: this.#definitionNames() });
    await this.#closeDoors(transaction, orgId);
    // A write that has changed nothing.
    if (this.#notes.length === 0) return;
    for (const note of this.#notes) addEntry(unit, note);
    await unit.flush();
    for (const secret of this.#secrets) {
      const { credentialId, graceSeconds } = secret;
      if (graceSeconds !== undefined) await retireSecrets(transaction, orgId, credentialId, graceSeconds);
      await insertSecret(transaction, orgId, secret);
    }
    if (this.#closed.length > 0) await closeKeys(transaction, orgId, this.#closed);
    if (unit.governs) await raiseRevision(transaction, orgId);
  }

  /** Nobody is signing in meanwhile: the org is locked. */
  async #closeDoors(transaction: Transaction, orgId: number): Promise<void> {
    const members = [...this.#withdrawn, ...this.#leaving.map(({ id }) => id)];
    for (const id of members) await removeLinksOf(transaction, orgId, id);
    for (const id of [...members, ...this.#narrowed, ...this.#closed]) await removeLinksBy(transaction, orgId, id);
    for (const about of this.#leaving) {
      const ended = await endSessions(transaction, orgId, about.id, 'all');
      for (const id of ended) this.note({ action: 'session.closed', about, detail: `member left, session ${id}` });
    }
    for (const { id, properties } of this.#deleted) {
      await removePassword(transaction, orgId, id);
      const email = properties['svc_email'];
      if (typeof email === 'string') await rememberEmail(transaction, orgId, emailDigest(email));
    }
  }

  #definitionNames(): string {
    const all = [...this.#definitions];
    const shown = all.slice(0, namesShown);
    return all.length === shown.length ? shown.join(', ') : `${shown.join(', ')} and ${all.length - shown.length} more`;
  }
}

/** The names of definitions that one entry of the audit lists. */
const namesShown = 100;

/** An entry of the audit is seen by those who see the whole org, and by the member who acted. */
function addEntry(unit: Unit, { action, about, detail }: AuditNote): void {
  const { session, requestId, address } = unit.call;
  const type = session.orgTypes.get(platformTypes.auditEntry);
  if (type === undefined) throw new TypeError('Every org has the type of audit entries.');
  const { caller } = session;
  const values: Record<string, Json | undefined> = {
    svc_at: isoText(unit.nowMs()),
    svc_action: action,
    svc_principal_id: principalId(caller),
    svc_credential_id: isOperator(session) ? undefined : caller.credentialId,
    svc_request_id: requestId,
    svc_address: address,
    svc_object_type: about?.type.name,
    svc_record_id: about?.id,
    svc_detail: detail,
  };
  const set = Object.entries(values).filter((entry): entry is [string, Json] => entry[1] !== undefined);
  const draft = newDraft(type, session.ids.next(), new Map(set));
  draft.orgVisible = false;
  unit.announce(draft.id);
  unit.records.add(draft);
  if (caller.userId !== null) unit.users.link({ typeId: type.id, id: draft.id, userId: caller.userId });
  unit.noteEntry(draft, 'record.created', withoutLong(draft.properties, textOf(draft)));
}

/** The key whose secret this write has made, for the answer alone. */
export function takeKeyMade(unit: Unit, { type, id }: Draft): string | undefined {
  return type.id === platformTypes.accessKey ? unit.book(Administration).takeKey(id) : undefined;
}

/** The names of the properties that differ, for the audit. */
export function changedNames(before: Draft['properties'], after: Draft['properties']): string {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name])).join(', ');
}
