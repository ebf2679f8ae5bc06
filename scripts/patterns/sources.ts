import { parseAst } from 'rolldown/parseAst';

/** A regular expression in a source file. */
export interface Pattern {
  readonly source: string;
  readonly flags: string;
  readonly line: number;
}

/** A regular expression that is built from values that the file does not contain. */
export interface BuiltPattern {
  readonly text: string;
  readonly line: number;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** Finds the regular expressions of a file: literals, arguments of RegExp, and patterns of schemas. */
export function patternsIn(path: string, text: string): { readonly known: Pattern[]; readonly built: BuiltPattern[] } {
  const known: Pattern[] = [];
  const built: BuiltPattern[] = [];
  const constants = new Map<string, Node>();
  const program = parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }, path) as unknown as Node;
  const lineOf = ({ start }: Node) => text.slice(0, start).split('\n').length;
  const constant = (name: string) => {
    const node = constants.get(name);
    return node && staticText(node, constant);
  };
  visit(program, (node) => {
    const { id, init } = node as { id?: Node; init?: Node };
    if (node.type === 'VariableDeclarator' && id?.type === 'Identifier' && init) constants.set(String(id.name), init);
  });
  visit(program, (node) => {
    const regex = node.regex as { pattern: string; flags: string } | undefined;
    if (node.type === 'Literal' && regex) known.push({ source: regex.pattern, flags: regex.flags, line: lineOf(node) });
    if (isRegExp(node)) {
      const [first, flags] = node.arguments as Node[];
      const source = first && staticText(first, constant);
      if (source === undefined) built.push({ text: text.slice(node.start, node.end), line: lineOf(node) });
      else known.push({ source, flags: (flags && staticText(flags, constant)) ?? '', line: lineOf(node) });
    }
    if (node.type === 'Property' && (node.key as Node).name === 'pattern') {
      const source = staticText(node.value as Node, constant);
      if (source !== undefined) known.push({ source, flags: 'u', line: lineOf(node) });
    }
  });
  return { known, built };
}

const isRegExp = ({ type, callee }: Node): boolean =>
  (type === 'NewExpression' || type === 'CallExpression') && (callee as Node).name === 'RegExp';

function visit(node: unknown, see: (node: Node) => void): void {
  if (Array.isArray(node)) for (const item of node) visit(item, see);
  else if (typeof node === 'object' && node !== null) {
    if (typeof (node as Node).type === 'string') see(node as Node);
    for (const inner of Object.values(node)) visit(inner, see);
  }
}

/** Evaluates texts, templates and sums of constants of the file; undefined for anything else. */
function staticText(node: Node, constant: (name: string) => string | undefined): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type === 'Identifier') return constant(String(node.name));
  if (node.type === 'BinaryExpression' && node.operator === '+') {
    const sides = [node.left, node.right].map((side) => staticText(side as Node, constant));
    return sides.includes(undefined) ? undefined : sides.join('');
  }
  const isRaw = node.type === 'TaggedTemplateExpression';
  const template = isRaw ? (node.quasi as Node) : node;
  if (template.type !== 'TemplateLiteral') return undefined;
  const texts = (template.quasis as { value: { raw: string; cooked: string } }[]).map(({ value }) =>
    isRaw ? value.raw : value.cooked,
  );
  const values = (template.expressions as Node[]).map((inner) => staticText(inner, constant));
  if (values.includes(undefined)) return undefined;
  return texts.map((part, index) => part + (values[index] ?? '')).join('');
}
