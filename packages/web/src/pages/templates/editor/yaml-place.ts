/** A step of a path: a key, or an item of a list. */
export type PathPart = string | typeof ITEM;
export const ITEM = Symbol('item');

/** Where the cursor stands in a block of YAML. */
export interface Place {
  /** Keys above the cursor, from the top. */
  readonly path: readonly PathPart[];
  /** The text before the cursor that a suggestion would replace. */
  readonly typed: string;
  /** The key whose value is being written; absent while a key is. */
  readonly forKey?: string;
  /** Keys that stand beside the cursor already. */
  readonly siblings: ReadonlySet<string>;
  /** Column at which a key begins. */
  readonly indent: number;
}

const KEY = /^([A-Za-z_$][\w.$-]*)\s*:(?:\s|$)/;

interface Line {
  /** Column of the key, after the dashes of list items. */
  readonly column: number;
  /** Columns of the dashes. */
  readonly dashes: readonly number[];
  readonly key: string | undefined;
  readonly isBlank: boolean;
}

function read(text: string): Line {
  const dashes: number[] = [];
  let column = text.length - text.trimStart().length;
  while (/^-(?:\s|$)/.test(text.slice(column))) {
    dashes.push(column);
    const rest = text.slice(column + 1);
    column += 1 + (rest.length - rest.trimStart().length);
  }
  const rest = text.slice(column);
  return { column, dashes, key: KEY.exec(rest)?.[1], isBlank: rest === '' || rest.startsWith('#') };
}

/**
 * Finds the place of the cursor by indentation. Only block style is understood: inside of brackets and of long texts
 * there is nothing to suggest, and undefined is returned.
 */
export function placeAt(text: string, offset: number): Place | undefined {
  const before = text.slice(0, offset).split('\n');
  const current = before.at(-1) ?? '';
  const own = read(current);
  const rest = current.slice(own.column);
  if (/[{}[\]"'#]/.test(rest)) return undefined;
  const value = /^([A-Za-z_$][\w.$-]*)\s*:\s(.*)$/.exec(rest);
  if (value === null && !/^[\w$-]*$/.test(rest)) return undefined;
  const lines = before.slice(0, -1).map(read);
  const path = pathOf(lines, own);
  const following = text.slice(offset).split('\n').slice(1).map(read);
  const siblings = new Set([
    ...(own.dashes.length > 0 ? [] : above(lines, own.column)),
    ...below(following, own.column),
  ]);
  const shared = { path, siblings, indent: own.column };
  return value
    ? { ...shared, forKey: value[1] as string, typed: (value[2] ?? '').trimStart() }
    : { ...shared, typed: rest };
}

/** Goes up from a line: every line that is indented less is a parent, every dash an item of a list. */
function pathOf(lines: readonly Line[], own: Line): PathPart[] {
  const path: PathPart[] = [];
  let column = own.dashes[0] ?? own.column;
  for (const _ of own.dashes) path.unshift(ITEM);
  for (const line of lines.toReversed()) {
    if (line.isBlank && line.dashes.length === 0) continue;
    const start = line.dashes[0] ?? line.column;
    if (line.key !== undefined && line.column < column) {
      path.unshift(line.key);
      column = line.column;
    } else if (line.key !== undefined && line.column === column && own.dashes.length > 0 && path[0] === ITEM) {
      // A list may stand at the column of its key.
      path.unshift(line.key);
    }
    if (line.dashes.length > 0 && start < column) {
      // The cursor stands in the item that begins here.
      for (const _ of line.dashes) path.unshift(ITEM);
      column = start;
    }
    if (column === 0 && path[0] !== ITEM) break;
  }
  return path;
}

/** Keys of the same mapping above the cursor: until a line that is indented less, or the dash that begins the item. */
function above(lines: readonly Line[], column: number): string[] {
  const keys: string[] = [];
  for (const line of lines.toReversed()) {
    if (line.isBlank) continue;
    if (line.column < column) break;
    if (line.column !== column) continue;
    if (line.key !== undefined) keys.push(line.key);
    if (line.dashes.length > 0) break;
  }
  return keys;
}

/** Keys of the same mapping below the cursor: until a line that is indented less, or the next item. */
function below(lines: readonly Line[], column: number): string[] {
  const keys: string[] = [];
  for (const line of lines) {
    if (line.isBlank) continue;
    if ((line.dashes[0] ?? line.column) < column) break;
    if (line.column === column && line.key !== undefined) keys.push(line.key);
  }
  return keys;
}
