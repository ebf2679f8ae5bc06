import { editorSchema } from '@hortus/contract/template/editor-schema';

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

interface Row {
  readonly path: string;
  readonly schema: Schema;
  readonly required: boolean;
}

const introduction = `# Template format: all fields

This page is made from the JSON Schema of templates: do not edit it, run
\`npm run --silent docs:template-format > docs/template-format.md\`. [templates.md](templates.md) explains the format by example.

A template with one container may put the fields of \`components.<name>\` at its top level; the component is then called \`main\`.`;

/** Renders docs/template-format.md from the JSON Schema that editors use. */
export function templateFormatPage(): string {
  const { properties = {}, required = [] } = editorSchema('http://127.0.0.1:8420') as unknown as Schema;
  const ofComponent = new Set(Object.keys(properties.components ? fieldsOf(properties.components) : {}));
  // `image` means two things: at the top level it is the template's own, so it stays.
  const own = Object.entries(properties).filter(([name]) => name === 'image' || !ofComponent.has(name));
  const isSimple = ([, schema]: [string, Schema]) => rowsBelow('', schema).length === 0;
  const simple = own
    .filter(isSimple)
    .map(([name, schema]) => ({ path: name, schema, required: required.includes(name) }));
  const sections = own.filter((entry) => !isSimple(entry)).map(([name, schema]) => section(name, schema));
  return `${[introduction, `## Top level\n\n${table(simple)}`, ...sections].join('\n\n')}\n`;
}

function fieldsOf(components: Schema): Readonly<Record<string, Schema>> {
  return Object.values(components.patternProperties ?? {})[0]?.properties ?? {};
}

function section(name: string, schema: Schema): string {
  return `## ${name}\n\n${schema.description ?? ''}\n\n${table(rowsBelow(name, schema))}`;
}

/** Lists every field below a schema; a list or a map adds `[]` or `.<name>` to the path, but no row. */
function rowsBelow(path: string, schema: Schema): Row[] {
  const { properties = {}, required = [], items, patternProperties = {}, anyOf = [] } = schema;
  const named = Object.entries(properties).flatMap(([name, field]) => [
    { path: `${path}.${name}`, schema: field, required: required.includes(name) },
    ...rowsBelow(`${path}.${name}`, field),
  ]);
  const anyName = Object.values(patternProperties).flatMap((field) => rowsBelow(`${path}.<name>`, field));
  const inList = items ? rowsBelow(`${path}[]`, items) : [];
  return [...named, ...anyName, ...inList, ...anyOf.flatMap((choice) => rowsBelow(path, choice))];
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(({ path, schema, required }) => {
    const standard = isEmpty(schema.default) ? '' : `\`${JSON.stringify(schema.default)}\``;
    return `| \`${path}\`${required ? ' *' : ''} | ${typeOf(schema)} | ${standard} | ${cell(schema.description ?? '')} |`;
  });
  return ['| field (* required) | type | default | meaning |', '| --- | --- | --- | --- |', ...lines].join('\n');
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === '' ||
  value === false ||
  (typeof value === 'object' && Object.keys(value ?? {}).length === 0);

function typeOf({ type, enum: values, const: only, anyOf, items }: Schema): string {
  if (values) return values.map((value) => `\`${value}\``).join(', ');
  if (only !== undefined) return `\`${only}\``;
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(' or ');
  if (type === 'array') return items?.type && items.type !== 'object' ? `list of ${items.type}` : 'list';
  return type === 'object' ? 'map' : (type ?? 'any');
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
