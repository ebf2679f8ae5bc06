import { isMap, isPair, isScalar, isSeq, type Node, parseDocument } from 'yaml';
import { type Finding, type Path, pathText } from './finding.ts';
import { lineTable, type Position } from './line-table.ts';

export type { Position };

export interface Parsed {
  /** Undefined if the text is not a YAML mapping. */
  value: unknown;
  findings: Finding[];
  /**
   * Returns the position of the value at a path, of its key, or of the text `within` inside it. For a path that the
   * text lacks, returns the position of its nearest parent.
   */
  positionOf(path: Path, atKey?: boolean, within?: string): Position;
}

interface Place {
  key?: Position;
  value: Position;
  /** Offsets of the value in the text. */
  span?: readonly [start: number, end: number];
}

const START: Position = { line: 1, column: 1 };
const DEEPEST = 64;
const TOO_DEEP = `the text is nested more than ${DEEPEST} levels deep`;
/** Maximum number of problems reported by the parser. */
const MAX_PROBLEMS = 200;

class TooDeep extends Error {}

/** Parses YAML 1.2 core. Malformed text gives findings, never an exception. */
export function parse(text: string, file?: string): Parsed {
  const findings: Finding[] = [];
  const places = new Map<string, Place>();
  const at = lineTable(text);
  const report = (code: string, path: Path, position: Position, message: string) =>
    findings.push({
      severity: 'error',
      code,
      path: pathText(path),
      ...position,
      message,
      ...(file === undefined ? {} : { file }),
    });

  const document = readDocument();
  for (const problem of [...document.errors, ...document.warnings].slice(0, MAX_PROBLEMS)) {
    report('yaml', [], at(problem.pos[0]), problem.message);
  }
  let isBroken = document.errors.length > 0;

  const visit = (node: unknown, path: Path, key?: Position): void => {
    const range = (node as Node | null)?.range;
    const value = range ? at(range[0]) : (key ?? START);
    places.set(pathText(path), {
      value,
      ...(key === undefined ? {} : { key }),
      ...(range ? { span: [range[0], range[1]] } : {}),
    });
    if (path.length > DEEPEST) throw new TooDeep();
    if (isMap(node)) {
      const seen = new Set<string>();
      for (const pair of node.items) {
        if (!isPair(pair)) continue;
        const keyNode = pair.key as Node | null;
        const name = isScalar(keyNode) ? String(keyNode.value) : String(keyNode);
        const keyPosition = keyNode?.range ? at(keyNode.range[0]) : value;
        // Checked here, because the check of the parser compares each key with all previous ones. 1 and "1" are the same key.
        if (seen.has(name)) {
          isBroken = true;
          report('yaml', [], keyPosition, 'Map keys must be unique');
        }
        seen.add(name);
        // An alias would hide the name of a key from these checks.
        if (keyNode !== null && !isScalar(keyNode)) {
          isBroken = true;
          report('yaml', [...path, name], keyPosition, 'a key must be a plain text');
        }
        if (name === '__proto__')
          report('reserved-key', [...path, name], keyPosition, 'the key __proto__ is not allowed');
        visit(pair.value, [...path, name], keyPosition);
      }
    } else if (isSeq(node)) {
      node.items.forEach((item, index) => {
        visit(item, [...path, index]);
      });
    } else if (isScalar(node) && misleads(node.value, node.source)) {
      const read = `is read as ${typeof node.value} ${node.value}`;
      report('ambiguous-scalar', path, value, `${node.source} ${read}; write it in that form, or quote it`);
    }
  };
  try {
    if (document.contents !== null) visit(document.contents, []);
  } catch (cause) {
    if (!(cause instanceof TooDeep)) throw cause;
    isBroken = true;
    report('yaml', [], START, TOO_DEEP);
  }

  return { value: plainValue(), findings, positionOf };

  /** The parser is recursive, and a text can have more levels than the stack. */
  function readDocument() {
    try {
      return parseDocument(text, { version: '1.2', schema: 'core', prettyErrors: false, uniqueKeys: false });
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause;
      report('yaml', [], START, TOO_DEEP);
      return { errors: [], warnings: [], contents: null, toJS: () => undefined };
    }
  }

  function plainValue(): unknown {
    if (isBroken) return undefined;
    try {
      return document.toJS({ maxAliasCount: 100 });
    } catch (cause) {
      report('yaml', [], START, cause instanceof Error ? cause.message : 'the text cannot be read');
      return undefined;
    }
  }

  function positionOf(path: Path, atKey = false, within?: string): Position {
    for (let length = path.length; length >= 0; length--) {
      const place = places.get(pathText(path.slice(0, length)));
      if (!place) continue;
      const inside = length === path.length ? offsetOf(within, place.span) : undefined;
      if (inside !== undefined) return at(inside);
      return (atKey || length < path.length ? place.key : undefined) ?? place.value;
    }
    return START;
  }

  function offsetOf(within: string | undefined, span: Place['span']): number | undefined {
    if (within === undefined || span === undefined) return undefined;
    const found = text.indexOf(within, span[0]);
    return found === -1 || found >= span[1] ? undefined : found;
  }
}

/** 0755 is the number 755 in YAML 1.2, and would reach a container as that. */
function misleads(value: unknown, source: string | undefined): boolean {
  if (source === undefined || typeof value === 'string') return false;
  if (typeof value === 'number') return Number.isInteger(value) && source !== String(value);
  return typeof value === 'boolean' && source !== String(value);
}

/** A template from JSON has no lines; all findings are at its start. */
export function parsedValue(value: unknown): Parsed {
  return { value, findings: [], positionOf: () => START };
}
