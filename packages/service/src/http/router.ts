import type { Match, Route } from './exchange.ts';

/** One segment of a path and its possible successors. */
class Fork {
  readonly named = new Map<string, Fork>();
  any: Fork | undefined;
  end: { readonly route: Route; readonly names: readonly string[] } | undefined;
}

/** Longer segments match nothing; ids in paths are shorter. */
const MAX_PARAMETER_LENGTH = 512;

/** Routes of one method: fixed paths, and the tree of all. */
class Paths {
  readonly fixed = new Map<string, Match>();
  readonly tree = new Fork();
}

const none = Object.freeze({});

/** Finds routes by their paths. A literal segment takes precedence over a parameter. */
export class Router {
  readonly #methods = new Map<string, Paths>();

  /** Adds a route; parameters of the path are in braces, as in the contract. */
  add(method: string, path: string, route: Route): void {
    const names: string[] = [];
    const paths = made(this.#methods, method, () => new Paths());
    let fork = paths.tree;
    for (const segment of path.split('/')) {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      if (name === undefined) fork = made(fork.named, segment, () => new Fork());
      else {
        names.push(name);
        fork.any ??= new Fork();
        fork = fork.any;
      }
    }
    if (fork.end) throw new Error(`${method} ${path} is defined twice, as ${fork.end.route.name} and ${route.name}.`);
    fork.end = { route, names };
    if (names.length === 0) paths.fixed.set(path, { route, params: none });
  }

  /** Finds a route. HEAD is answered like GET: Node omits the body. */
  find(method: string, path: string): Match | undefined {
    const paths = this.#methods.get(method === 'HEAD' ? 'GET' : method);
    const fixed = paths?.fixed.get(path);
    if (fixed) return fixed;
    const segments = paths && segmentsOf(path);
    if (!segments) return undefined;
    const values: string[] = [];
    const end = follow(paths.tree, segments, 0, values);
    if (!end) return undefined;
    const params: Record<string, string> = {};
    for (let place = 0; place < values.length; place++) params[end.names[place] as string] = values[place] as string;
    return { route: end.route, params };
  }
}

function made<Value>(all: Map<string, Value>, name: string, make: () => Value): Value {
  let value = all.get(name);
  if (!value) {
    value = make();
    all.set(name, value);
  }
  return value;
}

function follow(fork: Fork, segments: readonly string[], place: number, values: string[]): Fork['end'] {
  if (place === segments.length) return fork.end;
  const segment = segments[place] as string;
  const named = fork.named.get(segment);
  const end = named && follow(named, segments, place + 1, values);
  if (end || !fork.any || segment === '' || segment.length > MAX_PARAMETER_LENGTH) return end;
  values.push(segment);
  const found = follow(fork.any, segments, place + 1, values);
  if (!found) values.pop();
  return found;
}

/** Decodes the segments; undefined if one is malformed. */
function segmentsOf(path: string): readonly string[] | undefined {
  const segments = path.split('/');
  if (!path.includes('%')) return segments;
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
