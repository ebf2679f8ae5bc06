const NAMESPACES = [
  'inputs',
  'secrets',
  'vars',
  'routes',
  'components',
  'needs',
  'instance',
  'template',
  'params',
] as const;
export const FILTERS = ['urlencode', 'base64', 'bcrypt', 'json'] as const;

type Namespace = (typeof NAMESPACES)[number];
export type Filter = (typeof FILTERS)[number];

/** `${namespace.names:-operand | filters}` */
export interface Reference {
  namespace: Namespace;
  names: readonly string[];
  operator?: ':-' | ':+';
  operand: readonly Segment[];
  filters: readonly Filter[];
  /** Offsets of the whole reference in the text. */
  start: number;
  end: number;
}

export type Segment = string | Reference;

interface Fault {
  offset: number;
  message: string;
}

export interface ParsedText {
  source: string;
  segments: readonly Segment[];
  faults: readonly Fault[];
}

const HEAD = /\$\{\s*([A-Za-z_]+)\.([A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)\s*/y;
const FILTER = /\|\s*([A-Za-z0-9_]+)\s*(?=[|}])/y;
const DEEPEST = 8;
/** Limits on the filters of one reference. A hash costs about 50 ms, and hashing a hash is useless. */
const MAX_FILTERS = 4;
const MAX_HASHES = 1;

/**
 * Parses references of the form `${word.word…}`. `$X`, `$$`, `${HOME}` and `${list[@]}` belong to the shells and
 * configuration files in templates, and stay unchanged.
 */
export function parseText(source: string): ParsedText {
  if (!source.includes('${')) return { source, segments: source === '' ? [] : [source], faults: [] };
  const faults: Fault[] = [];
  const segments: Segment[] = [];
  let literalFrom = 0;
  let at = source.indexOf('${');
  while (at !== -1) {
    const reference = referenceAt(source, at, faults, 1);
    if (reference !== undefined) {
      if (at > literalFrom) segments.push(source.slice(literalFrom, at));
      segments.push(reference);
      literalFrom = reference.end;
    }
    at = source.indexOf('${', reference?.end ?? at + 2);
  }
  if (literalFrom < source.length) segments.push(source.slice(literalFrom));
  return { source, segments, faults };
}

/** Returns every reference of a text, including those inside operands. */
export function references(text: string): Reference[] {
  const within = (segments: readonly Segment[]): Reference[] =>
    segments.flatMap((segment) => (typeof segment === 'string' ? [] : [segment, ...within(segment.operand)]));
  return within(parseText(text).segments);
}

function referenceAt(source: string, start: number, faults: Fault[], depth: number): Reference | undefined {
  HEAD.lastIndex = start;
  const head = HEAD.exec(source);
  if (head === null) return undefined;
  const fail = (message: string): undefined => {
    faults.push({ offset: start, message });
  };
  const namespace = head[1] as Namespace;
  if (!NAMESPACES.includes(namespace)) {
    return fail(`\${${namespace}.…} has an unknown namespace; known are ${NAMESPACES.join(', ')}`);
  }
  if (depth > DEEPEST) return fail('${…} is nested too deeply');
  let at = start + head[0].length;
  const written = source.slice(at, at + 2);
  const operator = written === ':-' || written === ':+' ? written : undefined;
  let operand: Segment[] = [];
  if (operator !== undefined) {
    const read = operandAt(source, at + 2, faults, depth);
    if (read === undefined) return undefined;
    operand = read.segments;
    at = read.end;
  }
  const filters: Filter[] = [];
  FILTER.lastIndex = at;
  for (let filter = FILTER.exec(source); filter !== null; filter = FILTER.exec(source)) {
    at += filter[0].length;
    if (!isFilter(filter[1])) return fail(`unknown filter ${filter[1]}; known are ${FILTERS.join(', ')}`);
    filters.push(filter[1]);
    if (filters.length > MAX_FILTERS) return fail(`\${…} has more than ${MAX_FILTERS} filters`);
    if (filters.filter((filter) => filter === 'bcrypt').length > MAX_HASHES)
      return fail('${…} is hashed more than once');
    FILTER.lastIndex = at;
  }
  if (source[at] !== '}') return fail('${ has no matching }');
  const names = (head[2] as string).split('.');
  return { namespace, names, ...(operator ? { operator } : {}), operand, filters, start, end: at + 1 };
}

/** Parses an operand up to the closing brace or a filter; `|` starts a filter only if the name of one follows. */
function operandAt(source: string, start: number, faults: Fault[], depth: number): Operand | undefined {
  const segments: Segment[] = [];
  let literalFrom = start;
  let at = start;
  const literalUpTo = (end: number, trim: boolean) => {
    const literal = source.slice(literalFrom, end);
    const text = trim ? literal.trimEnd() : literal;
    if (text !== '') segments.push(text);
  };
  while (at < source.length && source[at] !== '}' && !startsFilter(source, at)) {
    if (!source.startsWith('${', at)) {
      at++;
      continue;
    }
    const before = faults.length;
    const reference = referenceAt(source, at, faults, depth + 1);
    // A fault inside invalidates the whole reference; continuing would parse the same text once per level.
    if (faults.length > before) return undefined;
    if (reference === undefined) {
      at += 2;
      continue;
    }
    literalUpTo(at, false);
    segments.push(reference);
    at = reference.end;
    literalFrom = at;
  }
  literalUpTo(at, source[at] === '|');
  return { segments, end: at };
}

interface Operand {
  segments: Segment[];
  end: number;
}

function startsFilter(source: string, at: number): boolean {
  if (source[at] !== '|') return false;
  FILTER.lastIndex = at;
  return isFilter(FILTER.exec(source)?.[1]);
}

function isFilter(name: string | undefined): name is Filter {
  return FILTERS.includes(name as Filter);
}
