import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, parseDocument, type Scalar } from 'yaml';
import { isMapping } from '../../schema/schema-check.ts';
import type { Finding, Path } from '../../source/finding.ts';
import { lineTable, type Position } from '../../source/line-table.ts';
import type { Parsed } from '../../source/parse.ts';
import { Places } from './places.ts';
import { plainScalar } from './scalars.ts';

/** Limits far above real files, against accidents and attacks. */
const MAX_TEXT_LENGTH = 1_048_576;
const MAX_NODES = 100_000;
const DEEPEST = 64;
/** Maximum number of problems reported by the parser. */
const MAX_PROBLEMS = 200;

class TooMuch extends Error {}

/** Reads YAML like Compose: resolves anchors, aliases and merges, and interprets scalars like its parser. */
export function readYaml(text: string): Parsed {
  const places = new Places();
  const findings: Finding[] = [];
  const at = lineTable(text);
  const report = (message: string, position: Position = { line: 1, column: 1 }) =>
    findings.push({ severity: 'error', code: 'yaml', path: '', ...position, message });
  const done = (value: unknown): Parsed => ({ value, findings, positionOf: (path, atKey) => places.find(path, atKey) });

  if (text.length > MAX_TEXT_LENGTH) {
    report(`the text is longer than ${MAX_TEXT_LENGTH} characters`);
    return done(undefined);
  }
  const anchors = new Map<string, Node>();
  let nodes = 0;
  try {
    const document = parseDocument(text, { schema: 'failsafe', prettyErrors: false, uniqueKeys: false });
    for (const problem of document.errors.slice(0, MAX_PROBLEMS)) report(problem.message, at(problem.pos[0]));
    if (document.errors.length > 0) return done(undefined);
    return done(document.contents === null ? undefined : value(document.contents, [], 0));
  } catch (cause) {
    if (cause instanceof TooMuch) report(cause.message);
    // The parser is recursive, and a text can have more levels than the stack.
    else if (cause instanceof RangeError) report('the text is nested too deeply');
    else throw cause;
    return done(undefined);
  }

  function value(node: unknown, path: Path, depth: number, key?: Position): unknown {
    if (++nodes > MAX_NODES) throw new TooMuch(`anchors and aliases expand to more than ${MAX_NODES} values`);
    if (depth > DEEPEST) throw new TooMuch(`the text is nested more than ${DEEPEST} levels deep`);
    const offset = (node as Node | null)?.range?.[0];
    const position = offset === undefined ? key : at(offset);
    places.set(path, key, position);
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      if (target !== undefined) return value(target, path, depth + 1, key);
      report(`the anchor ${node.source} is not defined before this`, position);
      return null;
    }
    const anchor = (node as { anchor?: string } | null)?.anchor;
    if (anchor !== undefined) anchors.set(anchor, node as Node);
    if (isMap(node)) return mapping(node.items, path, depth);
    if (isSeq(node)) return node.items.map((item, index) => value(item, [...path, index], depth + 1));
    return isScalar(node) ? scalar(node) : null;
  }

  function mapping(pairs: readonly Pair[], path: Path, depth: number): Record<string, unknown> {
    const own: Record<string, unknown> = {};
    const seen = new Set<unknown>();
    const merged: Record<string, unknown>[] = [];
    for (const pair of pairs) {
      const keyNode = pair.key as Node | null;
      const name = isScalar(keyNode) ? String(keyNode.value) : String(keyNode);
      const position = keyNode?.range ? at(keyNode.range[0]) : { line: 1, column: 1 };
      // Checked here, because the check of the parser compares each key with all previous ones.
      if (isScalar(keyNode) && seen.has(keyNode.value)) report('Map keys must be unique', position);
      if (isScalar(keyNode)) seen.add(keyNode.value);
      if (isScalar(keyNode) && isMergeKey(keyNode)) {
        merged.push(...sources(value(pair.value, path, depth + 1), position));
      } else if (name === '__proto__') report('the key __proto__ is not allowed', position);
      else own[name] = value(pair.value, [...path, name], depth + 1, position);
    }
    // Own keys override merged ones, and earlier merged mappings override later ones.
    const result: Record<string, unknown> = {};
    for (const source of merged.reverse()) Object.assign(result, source);
    return Object.assign(result, own);
  }

  function sources(merged: unknown, position: Position): Record<string, unknown>[] {
    const all = Array.isArray(merged) ? merged : [merged];
    if (all.every(isMapping)) return all;
    report('only mappings can be merged with <<', position);
    return [];
  }

  function scalar(node: Scalar): unknown {
    const source = node.source ?? String(node.value ?? '');
    return node.type === 'PLAIN' && node.tag === undefined ? plainScalar(source) : String(node.value ?? '');
  }
}

/** Tells whether a key is `<<`; with an explicit tag, the parser turns it into a symbol. */
function isMergeKey({ value, type }: Scalar): boolean {
  return typeof value === 'symbol' || (value === '<<' && type === 'PLAIN');
}
