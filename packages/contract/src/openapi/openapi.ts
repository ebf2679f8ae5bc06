import { endpointRows } from '../endpoints.ts';
import { machines } from '../machines/all.ts';
import { permissions, tagMeanings } from '../records/names.ts';
import { withoutTrailing } from '../runtime/trimmed.ts';
import type { OpenApiDocument, Operation } from './document.ts';
import { ExampleComponents } from './examples/components.ts';
import { operation } from './operation.ts';
import { SchemaComponents } from './schemas.ts';
import { errorReplies, headers, parameters, securitySchemes } from './shared.ts';
import { webhooks } from './webhooks.ts';

const description = `Every answer carries \`success\`; a failure carries \`error\` with one of six codes. Lists are paged by \`page\` and
\`per_page\`. Unknown query parameters are ignored, unknown body fields are refused by name. Answers may gain fields; none is
renamed or dropped within a version. Where two paths match an address, the one whose earlier segment is literal is meant:
\`/gardens/runs/{id}\` before \`/gardens/{id}/runs\`; ids contain an underscore, literal segments none.`;

/** Builds the OpenAPI 3.1 document from the contract alone. */
export function openapiDocument(about: { publicUrl: string; version: string }): OpenApiDocument {
  const schemas = new SchemaComponents();
  const examples = new ExampleComponents();
  const paths: Record<string, Record<string, Operation>> = {};
  for (const [name, row] of endpointRows) {
    paths[row.path] = { ...paths[row.path], [row.method.toLowerCase()]: operation(name, row, schemas, examples) };
  }
  const responses = errorReplies(schemas);
  const sent = webhooks(schemas);
  const used = new Set(endpointRows.map(([, row]) => row.tag));
  return {
    openapi: '3.1.0',
    info: { title: 'Hortus', version: about.version, description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: `${withoutTrailing(about.publicUrl, '/')}/api/v1` }],
    tags: Object.entries(tagMeanings)
      .filter(([name]) => used.has(name))
      .map(([name, meaning]) => ({ name, description: meaning })),
    paths,
    webhooks: sent,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas.collected).sort(([a], [b]) => (a < b ? -1 : 1))),
      responses,
      headers,
      parameters,
      examples: examples.collected,
      securitySchemes,
    },
    'x-permissions': permissions,
    'x-state-machines': Object.fromEntries(machines.map(({ name, ...table }) => [name, table])),
  };
}
