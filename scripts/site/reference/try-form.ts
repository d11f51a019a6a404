// The form that sends a request from the page. It is hidden until the script of the page, which sends it, shows it. It is
// filled with the first example, apart from what names records of somebody else's org.
import type { Example, Operation } from '../../../src/operations/operation.ts';
import { basePath } from '../../../src/operations/operation.ts';
import { escapeHtml } from '../html.ts';
import { jsonLiteral } from './literals.ts';
import type { DocumentedOperation, Parameter } from './openapi.ts';

export function tryForm(operation: Operation, documented: DocumentedOperation): string {
  const { method, path, access, examples, body } = operation;
  const [first] = Object.values(examples);
  const parameters = documented.parameters.filter(({ name }) => name !== 'Svc-Dry-Run');
  const isWrite = parameters.length < documented.parameters.length;
  const main = parameters.filter((parameter) => parameter.in !== 'header');
  const headers = parameters.filter((parameter) => parameter.in === 'header');
  const attributes = `data-method="${method}" data-path="${basePath}${escapeHtml(path)}" data-access="${access}"`;
  return `<details class="try" id="try" hidden><summary>Try it</summary>
${access === 'key' ? keyForm : ''}<form class="request" ${attributes} autocomplete="off">
${exampleChoice(operation)}${main.map(field).join('\n')}
${body === undefined || first?.body === undefined ? '' : bodyField(first)}${headers.length === 0 ? '' : moreFields(headers)}${isWrite ? dryRun : ''}<div class="actions"><button class="primary" type="submit">Send request</button></div>
</form>
<section class="result" aria-label="Answer to your request" hidden></section>
</details>`;
}

const keyForm = `<form class="key" autocomplete="off">
<label for="try-key">Key</label>
<div class="together"><input id="try-key" type="password" autocomplete="off" spellcheck="false" placeholder="svc_live_…" aria-describedby="key-state"><button type="submit">Use key</button></div>
<p class="state" id="key-state" role="status">Kept for this tab only, and sent to this service only.</p>
</form>
`;

const dryRun = `<label class="check"><input type="checkbox" name="dry-run" checked> <span><b>Dry run</b>: check everything, store nothing</span></label>
`;

/** What each example would fill in, so that the script needs to know nothing of operations. */
function exampleChoice({ examples }: Operation): string {
  const entries = Object.values(examples);
  if (entries.length < 2) return '';
  const options = entries.map(({ summary, path, query, headers = {}, body }) => {
    const { 'Svc-Dry-Run': _, ...others } = headers;
    const values = { ...path, ...query, ...others };
    const json = body === undefined ? '' : jsonLiteral(body);
    return `<option data-values="${escapeHtml(JSON.stringify(values))}" data-body="${escapeHtml(json)}">${escapeHtml(summary.replaceAll('`', ''))}</option>`;
  });
  return `<label for="try-example">Fill in an example</label>
<select id="try-example">${options.join('')}</select>
`;
}

function bodyField({ body }: Example): string {
  if (body === undefined) return '';
  const json = jsonLiteral(body);
  const rows = Math.min(Math.max(json.split('\n').length, 4), 18);
  return `<label for="try-body">Body <span class="type">JSON</span></label>
<textarea id="try-body" rows="${rows}" spellcheck="false" required>${escapeHtml(json)}</textarea>
`;
}

function moreFields(headers: readonly Parameter[]): string {
  return `<details class="more"><summary>Headers</summary>${headers.map(field).join('\n')}</details>
`;
}

/** Which names of parameters mean records: the script can look for one. */
const found = new Set(['id', 'target_id', 'record_id']);

function field(parameter: Parameter): string {
  const { name, in: place, required, schema, example } = parameter;
  const id = `try-${name}`;
  const need = required ? ' <span class="required">required</span>' : '';
  const label = `<label for="${id}"><code>${escapeHtml(name)}</code>${need}</label>`;
  const input = control(parameter, `id="${id}" name="${escapeHtml(name)}" data-in="${place}"`);
  if (!found.has(name) || !required) return `${label}\n${input}`;
  const shown = example ?? schema.examples?.[0];
  const button = `<button type="button" data-find="${name}" title="Fill in a record of your org">Find one</button>`;
  return shown === undefined ? `${label}\n${input}` : `${label}\n<div class="together">${input}${button}</div>`;
}

function control({ required, schema, example }: Parameter, attributes: string): string {
  const choices = schema.enum ?? (schema.type === 'boolean' ? [true, false] : undefined);
  const value = example === undefined ? '' : String(example);
  if (choices !== undefined) {
    const options = ['', ...choices.map(String)].map(
      (each) => `<option${each === value ? ' selected' : ''}>${escapeHtml(each)}</option>`,
    );
    return `<select ${attributes}>${options.join('')}</select>`;
  }
  const shown = schema.examples?.[0] ?? schema.default;
  const hint = shown === undefined ? '' : ` placeholder="${escapeHtml(String(shown))}"`;
  const need = required ? ' required' : '';
  return `<input ${attributes} type="text" spellcheck="false" value="${escapeHtml(value)}"${hint}${need}>`;
}
