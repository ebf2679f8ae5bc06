import { ITEM, type PathPart, placeAt } from './yaml-place.ts';

/** The parts of a JSON Schema that the template format uses. */
export interface Schema {
  readonly description?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly required?: readonly string[];
  readonly examples?: readonly unknown[];
}

export interface Suggestion {
  readonly label: string;
  readonly about: string;
  /** Text that replaces what was typed. */
  readonly text: string;
  readonly isRequired: boolean;
}

export interface Suggestions {
  readonly all: readonly Suggestion[];
  /** Length of the text before the cursor that a suggestion replaces. */
  readonly replaces: number;
}

const NOTHING: Suggestions = { all: [], replaces: 0 };

/** Suggests keys and values at the cursor from the schema; those that begin with what was typed. */
export function suggestionsAt(text: string, offset: number, schema: Schema): Suggestions {
  const place = placeAt(text, offset);
  if (!place) return NOTHING;
  const node = schemaAt(schema, place.path);
  if (!node) return NOTHING;
  const { typed, forKey, siblings, indent } = place;
  const all = forKey === undefined ? keysOf(node, siblings, indent) : valuesOf(propertyOf(node, forKey));
  const fitting = all.filter(({ label }) => label.toLowerCase().startsWith(typed.toLowerCase()) && label !== typed);
  return { all: fitting, replaces: typed.length };
}

export function schemaAt(schema: Schema, path: readonly PathPart[]): Schema | undefined {
  let node: Schema | undefined = schema;
  for (const part of path) {
    if (!node) return undefined;
    node = part === ITEM ? itemsOf(node) : propertyOf(node, part);
  }
  return node;
}

const shapesOf = (node: Schema): readonly Schema[] => [node, ...(node.anyOf ?? [])];

const itemsOf = (node: Schema): Schema | undefined => shapesOf(node).find(({ items }) => items !== undefined)?.items;

function propertyOf(node: Schema, key: string): Schema | undefined {
  for (const { properties, patternProperties } of shapesOf(node)) {
    if (properties && Object.hasOwn(properties, key)) return properties[key];
    const pattern = Object.entries(patternProperties ?? {}).find(([form]) => new RegExp(form, 'u').test(key));
    if (pattern) return pattern[1];
  }
  return undefined;
}

function keysOf(node: Schema, siblings: ReadonlySet<string>, indent: number): Suggestion[] {
  const shape = shapesOf(node).find(({ properties }) => properties !== undefined);
  return Object.entries(shape?.properties ?? {})
    .filter(([key]) => !siblings.has(key))
    .map(([key, property]) => ({
      label: key,
      about: property.description ?? '',
      text: `${key}:${beginning(property, indent)}`,
      isRequired: shape?.required?.includes(key) ?? false,
    }))
    .sort((a, b) => Number(b.isRequired) - Number(a.isRequired));
}

/** What follows a key: a space before a value, a new line before a mapping or a list. */
function beginning(property: Schema, indent: number): string {
  const next = `\n${' '.repeat(indent + 2)}`;
  if (property.properties || property.patternProperties) return next;
  return property.items ? `${next}- ` : ' ';
}

function valuesOf(property: Schema | undefined): Suggestion[] {
  if (!property) return [];
  const values = shapesOf(property).flatMap((shape) => [
    ...(shape.enum ?? []),
    ...(shape.const === undefined ? [] : [shape.const]),
    ...(shape.type === 'boolean' ? [true, false] : []),
    ...(shape.enum ? [] : (shape.examples ?? [])),
  ]);
  const texts = [...new Set(values.filter((value) => typeof value !== 'object').map(String))];
  return texts.map((text) => ({ label: text, about: '', text, isRequired: false }));
}
