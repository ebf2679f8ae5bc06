import type { TSchema } from 'typebox';
import type { JsonSchema } from './document.ts';

type Mutable = Record<string, unknown>;

/** Collects the titled schemas of the contract as components, so that the document contains each record once. */
export class SchemaComponents {
  readonly collected: Record<string, JsonSchema> = {};

  /** Returns the schema for the document: a reference if it has a title, otherwise the schema itself. */
  show(schema: TSchema): JsonSchema {
    // The round trip removes everything that is not JSON Schema, such as the internal marks of TypeBox.
    return this.#place(JSON.parse(JSON.stringify(schema)) as Mutable) as JsonSchema;
  }

  #place(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#place(each));
    if (value === null || typeof value !== 'object') return value;
    const schema = value as Mutable;
    const inner: Mutable = {};
    for (const [keyword, part] of Object.entries(schema)) {
      inner[keyword] = dataKeywords.has(keyword)
        ? part
        : namedKeywords.has(keyword)
          ? this.#placeEach(part as Mutable)
          : this.#place(part);
    }
    return typeof schema.title === 'string'
      ? this.#collect(schema.title, inner)
      : withPrefixItems(withoutNullUnion(inner));
  }

  /** The keys of `properties` are field names and not keywords: a field may be called `title`. */
  #placeEach(schemas: Mutable): Mutable {
    return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, this.#place(schema)]));
  }

  #collect(title: string, schema: Mutable): JsonSchema {
    const { title: _, ...rest } = schema;
    const component = withoutNullUnion(rest) as JsonSchema;
    const before = this.collected[title];
    if (before && JSON.stringify(before) !== JSON.stringify(component)) {
      throw new Error(`Two different schemas are both called ${title}.`);
    }
    this.collected[title] = component;
    return { $ref: `#/components/schemas/${title}` };
  }
}

const namedKeywords = new Set(['properties', 'patternProperties']);
/** Keywords with plain data, which contain no schemas. */
const dataKeywords = new Set(['examples', 'default', 'enum', 'const', 'required']);

/** Writes a tuple as OpenAPI 3.1 does: TypeBox uses the array form of `items`, which JSON Schema 2020-12 dropped. */
function withPrefixItems(schema: Mutable): Mutable {
  if (!Array.isArray(schema.items)) return schema;
  const { items, additionalItems, ...rest } = schema;
  return { ...rest, prefixItems: items, ...(additionalItems === false ? { items: false } : {}) };
}

/** Replaces `anyOf: [string, null]` by the shorter `type: [string, null]`. */
function withoutNullUnion(schema: Mutable): Mutable {
  const parts = schema.anyOf as Mutable[] | undefined;
  if (parts?.length !== 2 || parts[1]?.type !== 'null' || typeof parts[0]?.type !== 'string') return schema;
  const { anyOf: _, ...outer } = schema;
  const [value] = parts as [Mutable];
  const allowed = Array.isArray(value.enum) ? { enum: [...value.enum, null] } : {};
  return { ...value, ...outer, ...allowed, type: [value.type, 'null'] };
}
