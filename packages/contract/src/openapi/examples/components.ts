import type { Endpoint } from '../../endpoint.ts';
import type { Example, JsonSchema, Ref } from '../document.ts';
import { exampleOf } from './example.ts';

/** Examples of answers that are no JSON. */
const LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="4"/></svg>';
const BYTES = 'The bytes of the file.';

/**
 * Collects the example answers as components. Reading, creating and changing a record answer alike, so each distinct answer is in
 * the document once, under the name of the first operation that gives it.
 */
export class ExampleComponents {
  readonly collected: Record<string, Example> = {};
  readonly #names = new Map<string, string>();

  /** Returns the `examples` of an operation's success, by reference. */
  show(
    operation: string,
    row: Endpoint,
    schema: JsonSchema,
    schemas: Readonly<Record<string, JsonSchema>>,
  ): Readonly<Record<string, Ref>> {
    const value = row.file ? BYTES : row.media ? LOGO : exampleOf(schema, schemas);
    const text = JSON.stringify(value);
    const name = this.#names.get(text) ?? operation;
    this.#names.set(text, name);
    this.collected[name] = { value };
    return { success: { $ref: `#/components/examples/${name}` } };
  }
}
