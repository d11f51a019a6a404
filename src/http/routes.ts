// Finds the operation of a request in the table of operations. Each path is one route that knows its methods, so that
// a wrong method is told from an unknown path.
import findMyWay from 'find-my-way';
import { bounds } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import { operations } from '../operations/all.ts';
import { basePath, type Method, type Operation } from '../operations/operation.ts';

export interface Route {
  /** The path as it is declared, for logs and metrics. */
  readonly template: string;
  readonly path: Readonly<Record<string, string>>;
  readonly operations: ReadonlyMap<Method, Operation>;
}

interface Stored {
  readonly template: string;
  readonly operations: Map<Method, Operation>;
}

const router = findMyWay({ ignoreTrailingSlash: true, maxParamLength: bounds.urlBytes });
const byTemplate = new Map<string, Stored>();
for (const operation of operations) {
  const known = byTemplate.get(operation.path);
  if (known !== undefined) {
    known.operations.set(operation.method, operation);
    continue;
  }
  const template = basePath + operation.path;
  const stored: Stored = { template, operations: new Map([[operation.method, operation]]) };
  byTemplate.set(operation.path, stored);
  // The router's own method is a formality: ours are in the entry.
  router.on('GET', template.replaceAll(/\{([a-z_]+)\}/g, ':$1'), () => {}, stored);
}

export function findRoute(path: string): Route | undefined {
  // The router would take a fragment for the end of the path, but a request target has none.
  const found = path.includes('#') ? null : router.find('GET', path);
  const stored = found?.store as Stored | undefined;
  if (found === null || stored === undefined) return undefined;
  return { ...stored, path: found.params as Readonly<Record<string, string>> };
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
