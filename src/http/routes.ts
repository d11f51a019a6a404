// Finds the operation of a request in the table of operations. Each path is one route that knows its methods, so that
// a wrong method is told from an unknown path. Two dozen paths need no library: a step for each word between slashes.
import { Problem } from '../base/problem.ts';
import { operations } from '../operations/all.ts';
import { basePath, type Method, type Operation } from '../operations/operation.ts';

export interface Route {
  /** The path as it is declared, for logs and metrics. */
  readonly template: string;
  readonly path: Readonly<Record<string, string>>;
  readonly operations: ReadonlyMap<Method, Operation>;
}

/** One step of the paths that there are: a word of its own, or a parameter; a word wins. */
interface Step {
  readonly words: Map<string, Step>;
  parameter: { readonly name: string; readonly step: Step } | undefined;
  template: string;
  readonly operations: Map<Method, Operation>;
}

const start = newStep();
for (const operation of operations) {
  const template = basePath + operation.path;
  let step = start;
  for (const word of stepsOf(template)) step = stepTo(step, word);
  step.template = template;
  step.operations.set(operation.method, operation);
}

function newStep(): Step {
  return { words: new Map(), parameter: undefined, template: '', operations: new Map() };
}

function stepTo(step: Step, word: string): Step {
  const name = /^\{([a-z_]+)\}$/.exec(word)?.[1];
  if (name !== undefined) {
    step.parameter ??= { name, step: newStep() };
    // Two names for one place would give an operation parameters that it does not know.
    if (step.parameter.name !== name) throw new Error(`A path calls {${step.parameter.name}} {${name}}.`);
    return step.parameter.step;
  }
  const known = step.words.get(word) ?? newStep();
  step.words.set(word, known);
  return known;
}

/** What stands between the slashes; the one at the end may be left out. */
function* stepsOf(path: string): Generator<string> {
  const end = path.endsWith('/') ? path.length - 1 : path.length;
  for (let from = 1; from <= end; ) {
    const slash = path.indexOf('/', from);
    const to = slash < 0 || slash > end ? end : slash;
    yield path.slice(from, to);
    from = to + 1;
  }
}

export function findRoute(path: string): Route | undefined {
  // A fragment is no part of a request target.
  if (path.includes('#')) return undefined;
  const parameters: Record<string, string> = {};
  let step = start;
  for (const sent of stepsOf(path)) {
    const word = decoded(sent);
    if (word === undefined || word === '') return undefined;
    const next = step.words.get(word) ?? step.parameter?.step;
    if (next === undefined) return undefined;
    if (next === step.parameter?.step) parameters[step.parameter.name] = word;
    step = next;
  }
  return step.template === '' ? undefined : { template: step.template, path: parameters, operations: step.operations };
}

function decoded(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

export function routeUnknown(path: string): Problem {
  return new Problem('not_found', 'route_unknown', `There is no path ${JSON.stringify(path.slice(0, 200))} here.`);
}

/** The operation for the method. HEAD is GET without the body. */
export function findOperation(route: Route, method: string): Operation {
  const operation = route.operations.get((method === 'HEAD' ? 'GET' : method) as Method);
  if (operation !== undefined) return operation;
  const methods = allowedMethods(route);
  throw new Problem('method_not_allowed', undefined, `This path takes ${methods}, not ${method}.`, {
    headers: { Allow: methods },
  });
}

export function allowedMethods(route: Route): string {
  return [...route.operations.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
}
