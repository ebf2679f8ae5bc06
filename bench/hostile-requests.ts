import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { TestResponse } from '@hortus/service/testing/running-service';

/** Small requests with a high cost, by name of the attack. */
export interface HostileRequest {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** Sent without a key. */
  readonly anonymous?: true;
  readonly headers?: Readonly<Record<string, string>>;
}

const many = (count: number, each: (i: number) => string, between = ''): string =>
  Array.from({ length: count }, (_, i) => each(i)).join(between);

const template = (rest: string): string =>
  `slug: hostile\nname: Hostile\nversion: 1.0.0\narchetype: application\ntaxonomy: {kingdom: data, family: test}\n${rest}`;

const draft = (name: string, source: string): HostileRequest => ({
  name,
  method: 'POST',
  path: '/templates',
  body: JSON.stringify({ source }),
});
const compose = (name: string, text: string): HostileRequest => ({
  name,
  method: 'POST',
  path: '/templates/import',
  body: JSON.stringify({ compose: text }),
});
const raw = (name: string, method: string, path: string, body: string): HostileRequest => ({
  name,
  method,
  path,
  body,
});

/** Served at the root, beside the interface, for the pages of the console. */
const withHeader = (name: string, value: string, path: string): HostileRequest => ({
  name: `${name} with a long run at ${path}`,
  method: 'GET',
  path: path.startsWith('/health') || path.startsWith('/events') ? path : `/../..${path}`,
  body: '',
  headers: { [name]: value },
});

const KEYS = `{${many(70_000, (i) => `"k${i}":1`, ',')}}`;
const OBJECTS = `[${many(160_000, (i) => `{"a${i}":1}`, ',')}]`.slice(0, 1_000_000);
const DEEP = '['.repeat(500_000) + ']'.repeat(500_000);
const LINE = '{"at":1,"level":"info","message":"x","step":"y"}';

export const hostileRequests: readonly HostileRequest[] = [
  { ...raw('login with 70,000 unknown fields', 'POST', '/account/login', KEYS), anonymous: true },
  {
    ...raw('login with 400 unknown fields', 'POST', '/account/login', `{${many(400, (i) => `"k${i}":1`, ',')}}`),
    anonymous: true,
  },
  { ...raw('login with 8 KB of nesting', 'POST', '/account/login', '['.repeat(4_000)), anonymous: true },
  raw('unknown fields', 'POST', '/servers/register', KEYS),
  raw('20,000 unknown fields', 'POST', '/servers/register', `{${many(19_990, (i) => `"k${i}":1`, ',')}}`),
  raw('19,000 small objects', 'POST', '/webhooks', `{"events":[${many(9_400, (i) => `{"a${i}":1}`, ',')}]}`),
  raw('many objects', 'POST', '/webhooks', OBJECTS),
  raw('deep lists', 'POST', '/definitions', DEEP),
  raw('deep objects', 'POST', '/templates', `{"spec":${'{"a":'.repeat(90)}1${'}'.repeat(90)}}`),
  raw('one long text', 'POST', '/copilot/ask', JSON.stringify({ question: 'a b '.repeat(250_000) })),
  raw('a question of many words', 'POST', '/copilot/ask', JSON.stringify({ question: many(300, (i) => `w${i}`, ' ') })),
  raw('a match of many words', 'POST', '/match', JSON.stringify({ query: many(4_000, (i) => `w${i}`, ' ') })),
  raw('a search of many words', 'GET', `/templates?q=${many(1_500, (i) => `w${i}`, '+')}`, ''),
  compose('24 KB of services', `services:\n${many(1_500, (i) => ` s${i}: {image: a}\n`)}`),
  compose('49 KB of services', `services:\n${many(3_000, (i) => ` s${i}: {image: a}\n`)}`),
  compose(
    '200 services',
    `services:\n${many(200, (i) => ` s${i}: {image: a, depends_on: [s${i + 1}], environment: {A: "\${X${i}}"}}\n`)}`,
  ),
  compose(
    'one service, 20,000 variables',
    `services:\n a:\n  image: a\n  environment:\n${many(12_000, (i) => `   K${i}: "\${V${i}:-x}"\n`)}`,
  ),
  compose(
    'one service, many ports',
    `services:\n a:\n  image: a\n  ports: [${many(20_000, (i) => `"${i}:${i}"`, ',')}]`,
  ),
  compose(
    'aliases',
    `${many(12, (i) =>
      i === 0 ? 'x-0: &l0 [a, a, a, a, a, a, a, a]\n' : `x-${i}: &l${i} [${`*l${i - 1}, `.repeat(8)}]\n`,
    )}services: {a: {image: x, labels: *l11}}\n`,
  ),
  compose('nested lists', '['.repeat(400_000)),
  draft('10,000 keys', template(many(10_000, (i) => `k${i}: 1\n`))),
  draft('40,000 keys', template(many(40_000, (i) => `k${i}: 1\n`))),
  draft('nested mappings', template('['.repeat(400_000))),
  draft(
    'aliases of YAML',
    template(many(30, (i) => (i === 0 ? 'x-0: &l0 [a,a,a,a]\n' : `x-${i}: &l${i} [${`*l${i - 1},`.repeat(9)}]\n`))),
  ),
  draft('4,000 components', template(`components:\n${many(4_000, (i) => `  c${i}: {image: a}\n`)}`)),
  draft(
    '200 components',
    template(`components:\n${many(200, (i) => `  c${i}: {image: "a:1", env: {A: "\${vars.x}"}}\n`)}`),
  ),
  draft(
    'a large template',
    template(`image: {repository: a, tag: "1"}\nenv:\n${many(8_000, (i) => `  K${i}: "\${inputs.A${i}}"\n`)}`),
  ),
  draft(
    'patterns',
    template(
      `image: {repository: a, tag: "1"}\ninputs:\n  optional:\n${many(200, (i) => `    - {name: A${i}, type: string, pattern: "(a?){200}(b?){200}a{200}", default: ${'a'.repeat(200)}}\n`)}`,
    ),
  ),
  draft(
    'a pattern that backtracks',
    template(
      `image: {repository: a, tag: "1"}\ninputs:\n  optional:\n    - {name: A, type: string, pattern: "a*a*a*a*b", default: ${'a'.repeat(256)}}\n`,
    ),
  ),
  draft(
    'forty chained hashes',
    template(`image: {repository: a, tag: "1"}\nenv: {A: "\${template.slug${' | bcrypt'.repeat(40)}}"}`),
  ),
  draft(
    'hashes of everything',
    template(`image: {repository: a, tag: "1"}\nenv:\n${many(200, (i) => `  K${i}: "\${template.slug | bcrypt}"\n`)}`),
  ),
  draft(
    'texts that double',
    template(
      `image: {repository: a, tag: "1"}\nenv: {A: "\${vars.v39}"}\nvars:\n  v0: ${'x'.repeat(100)}\n${many(39, (i) => `  v${i + 1}: "\${vars.v${i}}\${vars.v${i}}"\n`)}`,
    ),
  ),
  draft('unclosed references', template(`image: {repository: a, tag: "1"}\nnotes: "${'${inputs.a:-'.repeat(5_000)}"`)),
  draft(
    'a size of many dollars',
    template(`image: {repository: a, tag: "1"}\nshm_size: "${'${a}'.repeat(40_000)}\\n"`),
  ),
  raw(
    'an import of 7.6 MB',
    'POST',
    '/definitions/import',
    `{"server_id":"srv_x","bundle":{"template":{"spec":{"slug":"a","vars":{${many(400_000, (i) => `"k${i}":"v"`, ',')}}}}}}`,
  ),
  raw(
    'an import of 7 MB of text',
    'POST',
    '/definitions/import',
    JSON.stringify({ server_id: 'srv_x', bundle: { name: '\n'.repeat(3_500_000) } }),
  ),
  raw(
    '10,000 lines',
    'POST',
    '/deploy/report',
    `{"deployment_id":"dep_x","status":"failed","logs":[${many(10_000, () => LINE, ',')}]}`,
  ),
  raw(
    '8 MB of lines',
    'POST',
    '/deploy/report',
    `{"deployment_id":"dep_x","status":"failed","logs":[${many(150_000, () => LINE, ',')}]}`,
  ),
  raw(
    '4 MB of output',
    'PUT',
    '/actions/exe_x',
    JSON.stringify({ status: 'completed', output: '\n'.repeat(4_000_000) }),
  ),
  ...['/', '/docs'].map((path) => withHeader('accept-encoding', `x;${' '.repeat(15_500)}y`, path)),
  withHeader('range', `bytes=${' '.repeat(15_500)}x`, '/'),
  withHeader('cookie', `${'a=;'.repeat(5_000)}x`, '/'),
  withHeader('x-forwarded-for', `1.1.1.1${' '.repeat(15_000)},x`, '/health'),
  withHeader('last-event-id', `1${'0'.repeat(15_000)}x`, '/events'),
  raw(
    'a channel with a template of blanks',
    'POST',
    '/notifications/channels',
    JSON.stringify({
      type: 'url',
      name: 'Blanks',
      url: 'https://example.org/',
      template: `{{${' '.repeat(8_188)}x`,
    }),
  ),
  raw('a result of 50,000 fields', 'PUT', '/actions/exe_x', `{"status":"completed","result":${KEYS}}`),
];

export interface Target {
  readonly base: string;
  readonly key: string;
}

/** Sends one of them. Not with `fetch`, which would parse the answers of a flood on the event loop of the sender. */
export function sendHostile(
  { base, key }: Target,
  { method, path, body, anonymous, headers: others }: HostileRequest,
): Promise<TestResponse> {
  const headers = {
    ...(!anonymous && { authorization: `Bearer ${key}` }),
    ...(body !== '' && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    ...others,
  };
  return new Promise((done, fail) => {
    const asked = request(new URL(base + path), { method, headers }, async (response) => {
      const responded = await text(response).catch(() => '');
      const status = response.statusCode ?? 0;
      if (status >= 500)
        fail(new Error(`${method} ${path.slice(0, 80)} answered ${status}: ${responded.slice(0, 300)}`));
      else
        done({ status, headers: headersOf(response), json: responded.startsWith('{') ? JSON.parse(responded) : null });
    });
    asked.on('error', fail);
    asked.end(body);
  });
}

const headersOf = ({ headers }: IncomingMessage) =>
  new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]));
