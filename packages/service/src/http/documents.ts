import { openapiDocument } from '@hortus/contract/openapi';
import { EDITOR_SCHEMA_PATH, editorSchema } from '@hortus/contract/template/editor-schema';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { BASE_PATH, sendPrepared } from './api-routes.ts';
import { JSON_TYPE } from './errors.ts';
import type { Access } from './gate.ts';
import { type Prepared, prepare } from './prepared.ts';
import { referenceStyles, renderReference } from './reference-page.ts';
import { pagePolicy } from './security-headers.ts';

const OPENAPI_PATH = `${BASE_PATH}/openapi.json`;
const STYLES_PATH = '/docs/style.css';
const access: Access = { permission: 'public', counted: true };

/** What describes itself: the interface as OpenAPI and as a reference page, the template format as a schema for editors. */
export function addDocuments(app: FastifyInstance, about: { publicUrl: string; version: string }): void {
  // Made when first asked for: most processes are started to serve, and starting should be quick.
  const document = once(() => openapiDocument(about));
  const answers = {
    [OPENAPI_PATH]: once(() => prepare(JSON.stringify(document()), JSON_TYPE)),
    '/docs': once(() =>
      prepare(renderReference(document(), { styles: STYLES_PATH, document: OPENAPI_PATH }), 'text/html; charset=utf-8'),
    ),
    [EDITOR_SCHEMA_PATH]: once(() => prepare(JSON.stringify(editorSchema(about.publicUrl)), 'application/schema+json')),
    [STYLES_PATH]: once(() => prepare(referenceStyles, 'text/css; charset=utf-8')),
  };
  for (const [path, prepared] of Object.entries(answers)) {
    app.get(path, { config: { name: path, access } }, async (request, reply) =>
      sendDocument(request, reply, prepared()),
    );
  }
  app.get('/', { config: { name: '/', access } }, async (_request, reply) => reply.redirect('/docs', 302));
}

function sendDocument(request: FastifyRequest, reply: FastifyReply, prepared: Prepared) {
  if (!prepared.type.includes('json')) reply.header('Content-Security-Policy', pagePolicy);
  return sendPrepared(request, reply.header('Cache-Control', 'no-cache'), prepared);
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
