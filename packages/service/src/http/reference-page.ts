import type { OpenApiDocument, Operation, Parameter, Ref, Reply } from '@hortus/contract/openapi/document';
import { exampleOf, fieldRow, fieldTable, table, typeName } from './reference-fields.ts';
import { anchor, html, type Markup, prose } from './reference-markup.ts';

export { referenceStyles } from './reference-styles.ts';

interface Entry {
  readonly method: string;
  readonly path: string;
  readonly op: Operation;
}

const isRef = (value: object): value is Ref => '$ref' in value;
const lastOf = (ref: Ref): string => ref.$ref.split('/').at(-1) ?? '';

const entriesOf = (doc: OpenApiDocument): Entry[] =>
  Object.entries(doc.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, op]) => ({ method: method.toUpperCase(), path, op })),
  );

/** Quotes a text for the shell: within single quotes only a single quote is special. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function curl(doc: OpenApiDocument, { method, path, op }: Entry): string {
  const body = op.requestBody?.content['application/json'].schema;
  const parts = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(`${doc.servers[0]?.url ?? ''}${path}`)}`,
    op.security.length > 0 && '-H "Authorization: Bearer $HORTUS_KEY"',
    body && "-H 'Content-Type: application/json'",
    body && `-d ${quoted(JSON.stringify(exampleOf(body, doc.components.schemas), null, 2))}`,
  ];
  return parts.filter((part) => part).join(' \\\n  ');
}

const permission = (name: string): Markup => {
  if (name === 'public') return html`<span class="permission">needs no key</span>`;
  if (name === 'session') return html`<span class="permission">any signed-in caller</span>`;
  return html`<span class="permission">needs <a href="#permissions"><code>${name}</code></a></span>`;
};

function parameterTable(doc: OpenApiDocument, op: Operation): Markup {
  const all = op.parameters.map((p): Parameter | undefined => (isRef(p) ? doc.components.parameters[lastOf(p)] : p));
  const rows = (place: Parameter['in']) =>
    all
      .filter((p) => p?.in === place)
      .map((p) => p as Parameter)
      .map(({ name, required, description, schema }) =>
        fieldRow({ name, required, type: typeName(schema), schema: description ? { ...schema, description } : schema }),
      );
  const captions = { path: 'In the path', query: 'In the query', header: 'In the headers' } as const;
  const tables = (['path', 'query', 'header'] as const).map((place) => [captions[place], rows(place)] as const);
  return html`${tables.filter(([, found]) => found.length > 0).map(([caption, found]) => table(caption, found))}`;
}

/**
 * Renders the fields of answers. Reading, creating and changing a record answer with the same fields: a long table is
 * written once, later operations link to it. This makes the page a quarter smaller.
 */
function responseTables(): (status: string, fields: Markup, op: Operation) => Markup {
  const longTable = 2_000;
  const firstWith = new Map<string, Operation>();
  return (status, fields, op) => {
    const first = firstWith.get(fields.html);
    if (first)
      return html`<p class="answer">Answer <b>${status}</b>, as in <a href="#${anchor(first.operationId)}">${first.summary}</a></p>`;
    if (fields.html.length > longTable) firstWith.set(fields.html, op);
    return html`<details><summary>Answer <b>${status}</b></summary>${fields}</details>`;
  };
}

function operationArticle(
  doc: OpenApiDocument,
  entry: Entry,
  responseTable: ReturnType<typeof responseTables>,
): Markup {
  const { method, path, op } = entry;
  const { schemas } = doc.components;
  const [status, reply] = Object.entries(op.responses).find(([code]) => code.startsWith('2')) ?? ['200', undefined];
  const response = reply && !isRef(reply) ? reply.content?.['application/json']?.schema : undefined;
  const body = op.requestBody?.content['application/json'].schema;
  const errors = Object.entries(op.responses).filter((entry): entry is [string, Ref] => isRef(entry[1]));
  return html`<article id="${anchor(op.operationId)}">
<h3><a href="#${anchor(op.operationId)}">${op.summary}</a></h3>
<p class="address"><b class="method ${method.toLowerCase()}">${method}</b><code>${path}</code><span class="terms">${op['x-server-key'] && html`<span>also with the key of the server</span>`}${permission(op['x-permission'])}</span></p>
${op.description && html`<p class="about">${prose(op.description)}</p>`}
<pre tabindex="0" aria-label="Sample request">${curl(doc, entry)}</pre>
${parameterTable(doc, op)}
${body && fieldTable('Body', body, schemas, 'required')}
${response && responseTable(status, fieldTable('Fields of the answer', response, schemas, 'plain'), op)}
<p class="errors">Errors ${errors.map(([code, ref]) => html` <a href="#errors" title="${lastOf(ref)}">${code}</a>`)}</p>
</article>`;
}

function errorSection(doc: OpenApiDocument, entries: readonly Entry[]): Markup {
  const statuses = new Map(
    entries.flatMap(({ op }) =>
      Object.entries(op.responses).flatMap(([status, reply]) =>
        isRef(reply) ? [[lastOf(reply), status] as const] : [],
      ),
    ),
  );
  const row = ([code, reply]: [string, Reply]) =>
    html`<tr><th scope="row"><code>${code}</code></th><td class="type">${statuses.get(code)}</td><td><p>${reply.description.replace(`${code}: `, '')}</p></td></tr>`;
  const body = doc.components.schemas.ErrorBody;
  return html`<section id="errors"><h2>Errors</h2><p class="lead">These are all error codes. A conflict with the current state is a VALIDATION_ERROR that names the field.</p>
${table('Codes', Object.entries(doc.components.responses).map(row))}
${body && fieldTable('Body of every failure', body, doc.components.schemas, 'plain')}</section>`;
}

const headerSection = (doc: OpenApiDocument): Markup => {
  const rows = Object.entries(doc.components.headers).map(([name, { description, schema }]) =>
    fieldRow({ name, required: false, type: typeName(schema), schema: { description } }),
  );
  return html`<section id="headers"><h2>Headers of an answer</h2>${table('Sent with every answer; Retry-After with a 429', rows)}</section>`;
};

function eventSection(doc: OpenApiDocument): Markup {
  const [first] = Object.values(doc.webhooks);
  const schema = first?.post.requestBody.content['application/json'].schema;
  const rows = Object.entries(doc.webhooks).map(
    ([name, { post }]) =>
      html`<tr><th scope="row"><code>${name}</code></th><td colspan="2"><p>${prose(post.summary)}</p></td></tr>`,
  );
  const headers = (first?.post.parameters ?? []).map(({ name, description, schema: type }) =>
    fieldRow({ name, required: false, type: typeName(type), schema: description ? { description } : {} }),
  );
  return html`<section id="events-sent"><h2>Events</h2><p class="lead">Sent to webhook endpoints as a signed POST. Answer with any 2xx status within 10 seconds.</p>
${table('Names', rows)}${schema && fieldTable('Body', schema, doc.components.schemas, 'plain')}${table('Headers', headers)}</section>`;
}

function stateSection(doc: OpenApiDocument): Markup {
  const from = (states: readonly string[] | string) => {
    if (typeof states !== 'string') return states.join(', ');
    return states === 'none' ? 'nothing yet' : 'any state';
  };
  const machines = Object.entries(doc['x-state-machines']).map(([name, { states, final, moves }]) => {
    const rows = moves.map(
      (m) =>
        html`<tr><th scope="row">${m.move}</th><td class="type">${from(m.from)} → ${m.to === 'same' ? 'the same' : m.to}</td><td>${m.guard && html`<p>only if ${m.guard}</p>`}${m.event && html`<p class="limits">fires <code>${m.event}</code></p>`}</td></tr>`,
    );
    const ends = final.length > 0 ? ` Final: ${final.join(', ')}.` : '';
    return html`<article id="state-${anchor(name)}"><h3>${name}</h3><p class="about">${states.join(', ')}.${ends}</p>${table('Moves', rows)}</article>`;
  });
  return html`<section id="states"><h2>States</h2><p class="lead">A status changes only by these moves.</p>${machines}</section>`;
}

const permissionSection = (doc: OpenApiDocument): Markup => {
  const rows = Object.entries(doc['x-permissions']).map(
    ([name, meaning]) => html`<tr><th scope="row"><code>${name}</code></th><td colspan="2"><p>${meaning}</p></td></tr>`,
  );
  return html`<section id="permissions"><h2>Permissions</h2>${table('Permissions of API keys', rows)}</section>`;
};

const appendix = [
  ['errors', 'Errors'],
  ['headers', 'Headers of an answer'],
  ['permissions', 'Permissions'],
  ['events-sent', 'Events'],
  ['states', 'States'],
] as const;

/** Renders the API reference as one page of plain HTML from the document, without scripts or inline styles. */
export function renderReference(
  doc: OpenApiDocument,
  links: { styles: string; document: string } = { styles: '/docs/style.css', document: '/openapi.json' },
): string {
  const entries = entriesOf(doc);
  const of = (tag: string) => entries.filter(({ op }) => op.tags[0] === tag);
  const index = doc.tags.map(
    ({ name }) =>
      html`<li><a class="tag" href="#tag-${anchor(name)}">${name}</a><ul>${of(name).map(
        ({ op }) => html`<li><a href="#${anchor(op.operationId)}">${op.summary}</a></li>`,
      )}</ul></li>`,
  );
  const responseTable = responseTables();
  const chapters = doc.tags.map(
    ({
      name,
      description,
    }) => html`<section id="tag-${anchor(name)}"><h2>${name}</h2><p class="lead">${prose(description)}</p>
${of(name).map((entry) => operationArticle(doc, entry, responseTable))}</section>`,
  );
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${doc.info.title} API reference</title>
<link rel="stylesheet" href="${links.styles}">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Index"><p class="name">${doc.info.title}</p><ul>${index}</ul>
<ul>${appendix.map(([id, label]) => html`<li><a class="tag" href="#${id}">${label}</a></li>`)}</ul></nav>
<main id="content">
<header><h1>${doc.info.title} API</h1><p class="lead">${prose(doc.info.description)}</p>
<p class="terms"><span>version ${doc.info.version}</span><span>base <code>${doc.servers[0]?.url}</code></span><span><a href="${links.document}">OpenAPI document</a></span></p></header>
${chapters}
${errorSection(doc, entries)}${headerSection(doc)}${permissionSection(doc)}${eventSection(doc)}${stateSection(doc)}
</main>
</body>
</html>
`.html;
}
