// The page of the object types that every org has, with their properties. Those that an org has added are data of the org.
import { builtinObjectTypes } from '../../../src/schema/builtin/object-types.ts';
import type { ObjectType, Property } from '../../../src/schema/object-type.ts';
import type { SitePage } from '../frame.ts';
import { breakable, codeHtml, escapeHtml, inlineHtml } from '../html.ts';
import type { NamedPlace } from './members.ts';

export interface ObjectTypesPage extends SitePage {
  /** The types and their properties. */
  readonly places: readonly NamedPlace[];
}

export function objectTypesPage(): ObjectTypesPage {
  const summary = 'The object types that every org has, and their properties.';
  const links = builtinObjectTypes.map(({ name, label }) => `<li><a href="#${name}">${escapeHtml(label)}</a></li>`);
  const html = `<article>
<h1>Object types</h1>
<p>${summary} An org can add its own, so the full list for a key is
<a href="/docs/reference/listObjectTypes/"><code>GET /objects/</code></a>, and
<a href="/docs/reference/getObjectType/"><code>GET /objects/{object_type}/</code></a> has the properties of a type. Every record
also has an <code>id</code> and a <code>version</code>.</p>
<ul class="columns">${links.join('')}</ul>
${builtinObjectTypes.map(typeSection).join('\n')}
</article>`;
  const places = builtinObjectTypes.flatMap(({ name, label, description, properties }) => [
    { name, id: name, description: `${label}: ${description}` },
    ...[...properties.values()].map((property) => ({
      name: property.name,
      id: propertyId(name, property),
      description: `${label}: ${property.label}. ${property.description}`,
    })),
  ]);
  return { path: '/docs/reference/object-types/', title: 'Object types', summary, html, places };
}

function typeSection({ name, label, description, category, properties, writableOperations }: ObjectType): string {
  const writes = writableOperations.length === 0 ? 'It can only be read.' : `Keys can ${listed(writableOperations)}.`;
  const rows = [...properties.values()].map((property) => propertyRow(name, property));
  return `<section aria-labelledby="${name}">
<h2 id="${name}"><a class="anchor" href="#${name}">${escapeHtml(label)}</a></h2>
<p>${codeHtml(name)} · ${category}. ${inlineHtml(description)} ${writes}</p>
<table class="members"><caption class="unseen">Properties of ${escapeHtml(label)}</caption><colgroup><col><col></colgroup>
<thead class="unseen"><tr><th scope="col">Name and type</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows.join('\n')}</tbody></table>
</section>`;
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

function propertyRow(type: string, property: Property): string {
  const { name, label, description, fieldType, multiValued, readOnly, unique, options } = property;
  const id = propertyId(type, property);
  const facts = [
    multiValued ? `list of ${fieldType.name}` : fieldType.name,
    ...(unique ? ['unique'] : []),
    ...(readOnly ? ['read-only'] : []),
  ];
  const values =
    options.length === 0
      ? ''
      : `<p class="bounds">One of ${options.map(({ value }) => codeHtml(value)).join(', ')}.</p>`;
  const text = description === '' ? '' : `<p>${inlineHtml(description)}</p>`;
  return `<tr id="${id}"><th scope="row"><a class="anchor" href="#${id}"><code>${breakable(name)}</code></a><span class="facts">${facts.join(' · ')}</span></th><td><p>${escapeHtml(label)}</p>${text}${values}</td></tr>`;
}

function propertyId(type: string, { name }: Property): string {
  return `${type}.${name}`;
}
