import { openapiDocument } from '@hortus/contract/openapi/openapi';
import { EDITOR_SCHEMA_PATH, editorSchema } from '@hortus/contract/template/editor-schema';
import { GARDEN_SCHEMA_PATH, gardenSchema } from '@hortus/garden/format';
import { acceptedEncoding, type Encoding } from './accepted-encoding.ts';
import { BASE_PATH, sendPrepared } from './api-routes.ts';
import type { Compression, Encoded } from './compression.ts';
import { JSON_TYPE } from './errors.ts';
import type { Exchange } from './exchange.ts';
import type { Access } from './gate.ts';
import { type Prepared, prepare } from './prepared.ts';
import { referenceStyles, renderReference } from './reference-page.ts';
import type { Router } from './router.ts';
import { pagePolicy } from './security-headers.ts';

const OPENAPI_PATH = `${BASE_PATH}/openapi.json`;
const STYLES_PATH = '/docs/style.css';
const access: Access = { permission: 'public', counted: true };
const page: Access = { ...access, page: true };

/** Adds the documents that describe the service: OpenAPI, the reference page, and the schemas of templates and gardens for editors. */
export function addDocuments(
  router: Router,
  about: { publicUrl: string; version: string },
  compression: Compression,
): void {
  // Created on demand, because it would slow down the start.
  const document = once(() => openapiDocument(about));
  const responses = {
    [OPENAPI_PATH]: once(() => prepare(JSON.stringify(document()), JSON_TYPE)),
    '/docs': once(() =>
      prepare(renderReference(document(), { styles: STYLES_PATH, document: OPENAPI_PATH }), 'text/html; charset=utf-8'),
    ),
    [EDITOR_SCHEMA_PATH]: once(() => prepare(JSON.stringify(editorSchema(about.publicUrl)), 'application/schema+json')),
    [GARDEN_SCHEMA_PATH]: once(() => prepare(JSON.stringify(gardenSchema(about.publicUrl)), 'application/schema+json')),
    [STYLES_PATH]: once(() => prepare(referenceStyles, 'text/css; charset=utf-8')),
  };
  for (const [path, prepared] of Object.entries(responses)) {
    const isPage = path === '/docs';
    const forms = new EncodedForms(compression);
    router.add('GET', path, {
      name: path,
      access: isPage ? page : access,
      handle: (exchange) => sendDocument(exchange, prepared(), forms),
    });
  }
}

async function sendDocument(exchange: Exchange, prepared: Prepared, forms: EncodedForms): Promise<void> {
  if (!prepared.type.includes('json')) exchange.with({ 'Content-Security-Policy': pagePolicy });
  exchange.with({ 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' });
  const encoding = acceptedEncoding(exchange.headers['accept-encoding']);
  const encoded = encoding && (await forms.of(prepared, encoding));
  sendPrepared(exchange, encoded ? { ...prepared, ...encoded } : prepared, encoded && encoding);
}

/** The compressed forms of one document; each is made once. */
class EncodedForms {
  readonly #compression: Compression;
  readonly #forms = new Map<Encoding, Promise<Encoded | undefined>>();

  constructor(compression: Compression) {
    this.#compression = compression;
  }

  async of(prepared: Prepared, encoding: Encoding): Promise<Encoded | undefined> {
    const making = this.#forms.get(encoding) ?? this.#compression.encode(prepared, encoding);
    this.#forms.set(encoding, making);
    const encoded = await making.catch(() => undefined);
    // Tried again with the next request.
    if (encoded === undefined) this.#forms.delete(encoding);
    return encoded;
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
