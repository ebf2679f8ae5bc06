import type { JsonSchema, OpenApiDocument } from '@hortus/contract/openapi/document';
import { html, type Markup, type Part, prose } from './reference-markup.ts';

type Schemas = OpenApiDocument['components']['schemas'];

/** One line of a field table. */
interface Field {
  readonly name: string;
  readonly depth: number;
  readonly type: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

const refName = (schema: JsonSchema): string | undefined => schema.$ref?.split('/').at(-1);

function resolve(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const name = refName(schema);
  return name === undefined
    ? schema
    : { ...schemas[name], ...(schema.description ? { description: schema.description } : {}) };
}

/** Returns a readable name of the type: `Definition`, `string or null`, `list of Event`. */
export function typeName(schema: JsonSchema): string {
  const name = refName(schema);
  if (name !== undefined) return name;
  if (schema.anyOf) return schema.anyOf.map(typeName).join(' or ');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.type === 'array') return schema.items ? `list of ${typeName(schema.items)}` : 'list';
  if (schema.patternProperties) {
    const values = Object.values(schema.patternProperties).map(typeName);
    return values[0] === 'anything' ? 'object' : `object of ${values.join(' or ')}`;
  }
  if (Array.isArray(schema.type)) return schema.type.join(' or ');
  return typeof schema.type === 'string' ? schema.type : 'anything';
}

/** Returns the schemas one level down whose fields are listed under this one. */
function inside(schema: JsonSchema, schemas: Schemas): JsonSchema[] {
  const whole = resolve(schema, schemas);
  if (whole.items) return inside(whole.items, schemas);
  if (whole.anyOf) return whole.anyOf.flatMap((part) => inside(part, schemas));
  return whole.properties ? [whole] : [];
}

/** Maximum nesting of a field table; deeper fields show only the name of their type. */
const deepest = 4;

function* fields(schema: JsonSchema, schemas: Schemas, depth = 0): Generator<Field> {
  for (const object of inside(schema, schemas)) {
    for (const [name, field] of Object.entries(object.properties ?? {})) {
      const required = object.required?.includes(name) ?? false;
      yield { name, depth, required, type: typeName(field), schema: resolve(field, schemas) };
      if (depth < deepest) yield* fields(field, schemas, depth + 1);
    }
  }
}

const words = (values: readonly unknown[]): Part =>
  values.map((value, i) => html`${i > 0 && ' '}<code>${value === null ? 'null' : String(value)}</code>`);

/** Describes the constraints of a schema as short phrases. */
function limits(schema: JsonSchema): Part[] {
  const said: Part[] = [];
  const bound = (low: unknown, high: unknown, unit: string) => {
    if (low !== undefined && high !== undefined) said.push(`${low} to ${high}${unit}`);
    else if (high !== undefined) said.push(`at most ${high}${unit}`);
    else if (low !== undefined && low !== 0) said.push(`at least ${low}${unit}`);
  };
  if (schema.enum) said.push(html`one of ${words(schema.enum)}`);
  const items = schema.items || undefined;
  if (items?.enum) said.push(html`of ${words(items.enum)}`);
  bound(schema.minLength, schema.maxLength, ' characters');
  const maximum = schema.maximum === Number.MAX_SAFE_INTEGER ? undefined : schema.maximum;
  bound(schema.minimum, maximum, '');
  bound(schema.minItems, schema.maxItems, ' items');
  if (schema.format === 'date-time') said.push('ISO 8601, UTC');
  if (schema.default !== undefined) said.push(html`default <code>${String(schema.default)}</code>`);
  return said;
}

const remarks = (schema: JsonSchema): Part => {
  const said = limits(schema);
  return html`${schema.description && html`<p>${prose(schema.description)}</p>`}${
    said.length > 0 && html`<p class="limits">${said.map((item, i) => html`${i > 0 && '; '}${item}`)}</p>`
  }`;
};

/** Renders a table row of a parameter, header or field. */
export const fieldRow = (row: {
  name: string;
  depth?: number;
  type: string;
  required: boolean;
  schema: JsonSchema;
}): Markup =>
  html`<tr><th scope="row" class="depth-${row.depth ?? 0}"><code>${row.name}</code>${
    row.required && html`<abbr title="required">*</abbr>`
  }</th><td class="type">${row.type}</td><td>${remarks(row.schema)}</td></tr>`;

export const table = (caption: string, rows: readonly Markup[]): Markup =>
  html`<table><caption>${caption}</caption><tbody>${rows}</tbody></table>`;

/** Renders the fields of a body, nested by indentation. Fields of answers are not marked as required. */
export function fieldTable(caption: string, schema: JsonSchema, schemas: Schemas, marks: 'required' | 'plain'): Markup {
  const rows = [...fields(schema, schemas)].map((field) =>
    fieldRow({ ...field, required: marks === 'required' && field.required }),
  );
  return table(caption, rows);
}

/** Returns an example value for a sample request. */
export function exampleOf(schema: JsonSchema, schemas: Schemas): unknown {
  const whole = resolve(schema, schemas);
  if (whole.examples?.length) return whole.examples[0];
  if ('const' in whole) return whole.const;
  if (whole.default !== undefined) return whole.default;
  if (whole.enum) return whole.enum[0];
  if (whole.anyOf?.[0]) return exampleOf(whole.anyOf[0], schemas);
  if (whole.items) return [exampleOf(whole.items, schemas)];
  if (whole.properties) {
    const needed = Object.entries(whole.properties).filter(([name]) => whole.required?.includes(name));
    return Object.fromEntries(needed.map(([name, field]) => [name, exampleOf(field, schemas)]));
  }
  if (whole.patternProperties) return {};
  const type = Array.isArray(whole.type) ? whole.type[0] : whole.type;
  return type === 'integer' || type === 'number' ? 1 : type === 'boolean' ? true : '…';
}
