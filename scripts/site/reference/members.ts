// The members of a body, an answer or a list of parameters as a table, with the members of their values in tables below
// them that open.
import { breakable, codeHtml, escapeHtml, inlineHtml } from '../html.ts';
import { referenceName, type Schema } from './openapi.ts';
import { boundsText, typeText } from './schema-text.ts';

export interface Member {
  readonly name: string;
  readonly schema: Schema;
  readonly description?: string | undefined;
  readonly isRequired: boolean;
}

/** A member as the search finds it. */
export interface NamedPlace {
  readonly name: string;
  readonly id: string;
  readonly description: string;
}

interface Place {
  /** The id of the table, with which the ids of its rows begin. */
  readonly id: string;
  /** The schemas that the table is part of: one that contains itself is not repeated inside itself. */
  readonly within: readonly string[];
}

/** Prints tables of one page, and remembers where each member is. */
export class MemberTables {
  readonly places: NamedPlace[] = [];
  readonly #schemas: Readonly<Record<string, Schema>>;
  readonly #ids = new Set<string>();

  constructor(schemas: Readonly<Record<string, Schema>>) {
    this.#schemas = schemas;
  }

  /** `caption` is for those who hear the page: the heading above the table says it to the others. */
  print(id: string, caption: string, members: readonly Member[]): string {
    return this.#table({ id, within: [] }, caption, members);
  }

  /** The tables of a schema: its members, or one table for each of its forms. */
  printSchema(id: string, caption: string, schema: Schema): string {
    return this.#inside({ id, within: [] }, caption, schema);
  }

  #table(place: Place, caption: string, members: readonly Member[]): string {
    const rows = members.map((member) => this.#row(place, member));
    return `<table class="members"><caption class="unseen">${escapeHtml(caption)}</caption><colgroup><col><col></colgroup>
<thead class="unseen"><tr><th scope="col">Name and type</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows.join('\n')}</tbody></table>`;
  }

  #row(place: Place, { name, schema, description, isRequired }: Member): string {
    const id = this.#newId(`${place.id}-${name}`);
    const { resolved, names } = this.#resolve(schema);
    const isInside = names.some((each) => place.within.includes(each));
    const text = description ?? schema.description ?? (isInside ? '' : resolved.description) ?? '';
    this.places.push({ name, id, description: text });
    const need = isRequired ? ' <span class="required">required</span>' : '';
    const bounds = boundsText(schema);
    const facts = `<span class="facts">${escapeHtml(typeText(schema))}${need}</span>`;
    const meaning = [
      ...(text === '' ? [] : [`<p>${inlineHtml(sentence(text))}</p>`]),
      ...(bounds === '' ? [] : [`<p class="bounds">${bounds}</p>`]),
    ];
    const inner = this.#inside({ id, within: place.within }, name, schema);
    const nested = inner === '' ? '' : `\n<tr class="nested"><td colspan="2">${inner}</td></tr>`;
    const link = `<a class="anchor" href="#${id}"><code>${breakable(name)}</code></a>`;
    return `<tr id="${id}"><th scope="row">${link}${facts}</th><td>${meaning.join('')}</td></tr>${nested}`;
  }

  /** What the value has inside it; empty if that needs no table. */
  #inside(place: Place, name: string, schema: Schema): string {
    const { resolved, names } = this.#resolve(schema);
    if (names.some((each) => place.within.includes(each))) return '';
    const inner = { id: place.id, within: [...place.within, ...names] };
    const forms = (resolved.anyOf ?? []).filter((form) => this.#hasMembers(form));
    if (forms.length > 1) return forms.map((form, index) => this.#form(inner, form, index)).join('\n');
    const shape = forms[0] === undefined ? resolved : this.#resolve(forms[0]).resolved;
    const { properties, additionalProperties } = shape;
    if (properties !== undefined) {
      const table = this.#table(inner, `Members of ${name}`, membersOf(shape));
      // Of an answer, everybody wants to see the data.
      const isTop = !place.id.includes('-');
      if (isTop) return table;
      const open = /^[a-z]+-data$/.test(place.id) ? ' open' : '';
      return `<details class="fold"${open}><summary>${countOf(Object.keys(properties).length)} of ${codeHtml(name)}</summary>${table}</details>`;
    }
    return typeof additionalProperties === 'object' ? this.#inside(inner, name, additionalProperties) : '';
  }

  #form(place: Place, form: Schema, index: number): string {
    const { resolved } = this.#resolve(form);
    const title = formTitle(resolved);
    const id = `${place.id}-${index + 1}`;
    const table = this.#table({ id, within: place.within }, title, membersOf(resolved));
    return `<details class="fold"><summary>${inlineHtml(title)}</summary>${table}</details>`;
  }

  #hasMembers(form: Schema): boolean {
    return this.#resolve(form).resolved.properties !== undefined;
  }

  /** The schema behind references and lists, and the names that led to it. */
  #resolve(schema: Schema): { readonly resolved: Schema; readonly names: readonly string[] } {
    const names: string[] = [];
    let resolved = schema;
    for (;;) {
      if (resolved.$ref !== undefined) {
        const name = referenceName(resolved.$ref);
        const next = this.#schemas[name];
        if (next === undefined) throw new Error(`The OpenAPI document has no schema ${name}.`);
        names.push(name);
        resolved = next;
      } else if (resolved.type === 'array' && resolved.items !== undefined && isComposed(resolved.items)) {
        resolved = resolved.items;
      } else {
        return { resolved, names };
      }
    }
  }

  #newId(wanted: string): string {
    let id = wanted.replaceAll(/[^A-Za-z0-9_-]/g, '');
    for (let count = 2; this.#ids.has(id); count++) id = `${wanted}-${count}`;
    this.#ids.add(id);
    return id;
  }
}

export function membersOf({ properties = {}, required = [] }: Schema): readonly Member[] {
  return Object.entries(properties).map(([name, schema]) => ({ name, schema, isRequired: required.includes(name) }));
}

function isComposed({ $ref, properties, anyOf, items }: Schema): boolean {
  return $ref !== undefined || properties !== undefined || anyOf !== undefined || items !== undefined;
}

/** A form is named by the value that only it has, or else by its required members. */
function formTitle({ title, properties = {}, required = [] }: Schema): string {
  const [named] = Object.entries(properties).filter(([, { const: value }]) => value !== undefined);
  if (named !== undefined) return `\`"${named[0]}": ${JSON.stringify(named[1].const)}\``;
  const kinds = properties['operation']?.enum;
  if (kinds !== undefined) return kinds.map((kind) => `\`"operation": ${JSON.stringify(kind)}\``).join(' or ');
  return title === undefined ? `With ${required.map((name) => `\`${name}\``).join(' and ')}` : `With \`${title}\``;
}

function countOf(count: number): string {
  return count === 1 ? '1 member' : `${count} members`;
}

/** Descriptions of shapes are phrases in messages; here they are sentences. */
function sentence(text: string): string {
  const first = text.startsWith('`') ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
