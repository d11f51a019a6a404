// Finds the operation of a request in the table of operations. Each path is one route with its methods, which tells a
// wrong method from an unknown path. Two dozen paths need no library: the router takes one step per path segment.
import { Problem } from '../base/problem.ts';
import { operations } from '../operations/all.ts';
import { basePath, type Method, type Operation } from '../operations/operation.ts';

export interface Route {
  /** The path as declared, for logs and metrics. */
  readonly template: string;
  readonly path: Readonly<Record<string, string>>;
  readonly operations: ReadonlyMap<Method, Operation>;
}

/** One step in the tree of paths. It leads on by a literal word or by a parameter; a word takes precedence. */
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
    // Two names for one segment would give an operation a parameter that it does not declare.
    if (step.parameter.name !== name) throw new Error(`{${step.parameter.name}} is called {${name}} in another path.`);
    return step.parameter.step;
  }
  const known = step.words.get(word) ?? newStep();
  step.words.set(word, known);
  return known;
}

/** The segments of the path. The trailing slash is optional. */
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
  // A fragment is not part of a request target.
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
  return new Problem('not_found', 'route_unknown', `There is no path ${JSON.stringify(path.slice(0, 200))}.`);
}

/** The operation for the method. HEAD is GET without the body. */
export function findOperation(route: Route, method: string): Operation {
  const operation = route.operations.get((method === 'HEAD' ? 'GET' : method) as Method);
  if (operation !== undefined) return operation;
  const methods = allowedMethods(route);
  throw new Problem('method_not_allowed', undefined, `This path supports ${methods}, not ${method}.`, {
    headers: { Allow: methods },
  });
}

function allowedMethods(route: Route): string {
  return [...route.operations.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
}
