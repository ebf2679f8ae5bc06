import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProcess } from '@hortus/testkit/process';
import { type HostileRequest, hostileRequests, sendHostile } from './hostile-requests.ts';
import type { startService } from './service-process.ts';

type Service = Awaited<ReturnType<typeof startService>>;

/** An input that once held the event loop for hundreds of milliseconds, or one like it. */
export interface NamedInput {
  readonly name: string;
  /** Creates what the input needs and returns what sends it and waits until the service has handled it. */
  prepare(service: Service): Promise<() => Promise<unknown>>;
}

const SECRETS = 190;
/** Characters of a secret; each stands several times in its variable. */
const SECRET_LENGTH = 3_900;
const TIMES = 5;
const CONNECTIONS = 16;
const secretNames = Array.from({ length: SECRETS }, (_, i) => `S${i}`);

let created = 0;

const plain = (name: string, hostile: HostileRequest): NamedInput => ({
  name,
  prepare: async (service) => () => sendHostile(service, hostile),
});
const listed = (name: string): HostileRequest => {
  const found = hostileRequests.find((hostile) => hostile.name === name);
  if (found === undefined) throw new Error(`No hostile request is called ${name}.`);
  return found;
};
const get = (path: string, headers: Readonly<Record<string, string>>): HostileRequest => ({
  ...{ name: path, method: 'GET', path, body: '', headers },
});

/** Each is measured by itself: the latency of health beside one of it. */
export const namedInputs: readonly NamedInput[] = [
  plain('Accept-Encoding with 15,800 blanks', get('/../../', { 'accept-encoding': `x;${' '.repeat(15_800)}y` })),
  plain('Range with 15,500 blanks', get('/../../', { range: `bytes=${' '.repeat(15_500)}x` })),
  plain('a notification template with 8,188 blanks', listed('a channel with a template of blanks')),
  { name: 'a route path of 60,000 slashes', prepare: slashes },
  { name: 'a channel message of 8 MB in 2.6 million values', prepare: (service) => messages(service, 1, 1) },
  { name: 'a channel message of 8 MB of blanks', prepare: (service) => messages(service, 1, 1, ' ') },
  {
    name: `three messages of 2.6 million values on each of ${CONNECTIONS} connections`,
    prepare: (service) => messages(service, CONNECTIONS, 3),
  },
  { name: `GET /manifest of ${SECRETS} secrets in 3.7 MB of environment`, prepare: manifestOfSecrets },
];

/** A definition whose route is filled by one long input. */
async function slashes(service: Service): Promise<() => Promise<unknown>> {
  const { request } = await creation(service, 'slashes', { PATH: '/'.repeat(60_000) });
  return () => sendHostile(service, request);
}

/** Sends messages that no daemon sends, and waits until the service has closed each connection after the last of them. */
async function messages(
  service: Service,
  connections: number,
  each: number,
  unit = '[],',
): Promise<() => Promise<unknown>> {
  const keys: string[] = [];
  for (let i = 0; i < connections; i++) {
    const body = { name: `messages ${++created}`, environment: 'staging' } as const;
    keys.push((await service.client.call('servers.register', { body })).data.api_key);
  }
  // At idle priority, because attackers have machines of their own.
  const attacker = [process.execPath, 'bench/channel-attacker.ts', service.base, unit, String(each), ...keys];
  const sending = startProcess(['chrt', '--idle', '0', ...attacker]);
  await sending.waitForLine('authenticated');
  return async () => {
    process.kill(sending.pid, 'SIGUSR2');
    await sending.waitForLine('closed');
    await sending.exited;
  };
}

async function manifestOfSecrets(service: Service): Promise<() => Promise<unknown>> {
  const values = secretNames.map((name) => [name, `${'a'.repeat(SECRET_LENGTH)}${name}`] as const);
  const { request, key } = await creation(service, 'secrets', Object.fromEntries(values));
  const { status, json } = await sendHostile(service, request);
  if (status !== 201) throw new Error(`The definition of many secrets was refused: ${json.error.message}`);
  const asked = get(`/manifest?definition_id=${json.data.id}`, {});
  return async () => {
    // As the daemon of its server, which receives the secrets.
    const response = await sendHostile({ base: service.base, key }, asked);
    if (response.status !== 200) throw new Error(`GET /manifest answered ${response.status}.`);
  };
}

async function creation(
  { client }: Service,
  species: string,
  inputs: Readonly<Record<string, string>>,
): Promise<{ request: HostileRequest; key: string }> {
  const { data } = await client.call('servers.register', { body: { name: `of ${species}`, environment: 'staging' } });
  const body = JSON.stringify({ species, instance_uid: `${species}-${++created}`, server_id: data.id, inputs });
  return { request: { name: species, method: 'POST', path: '/definitions', body }, key: data.api_key };
}

const common = (slug: string): string =>
  `slug: ${slug}\nname: Named\nversion: 1.0.0\narchetype: application\ntaxonomy: {kingdom: data, family: test}\nimage: {repository: a, tag: "1"}\n`;
const filled = (name: string): string => `\${${name}}`;

/** Writes a catalog with the species of these inputs. */
export function writeNamedSpecies(folder: string): string {
  const templates = {
    slashes: `inputs:\n  optional: [{name: PATH, type: text}]\nroutes: [{name: web, port: 80, host: a.example.org, path: "/${filled('inputs.PATH')}"}]\n`,
    secrets: `secrets:\n${secretNames.map((name) => `  ${name}: {external: true}\n`).join('')}env:\n${secretNames
      .map((name) => `  ${name}: "${filled(`secrets.${name}`).repeat(TIMES)}"\n`)
      .join('')}`,
  };
  for (const [slug, rest] of Object.entries(templates)) {
    mkdirSync(join(folder, 'test', slug), { recursive: true });
    writeFileSync(join(folder, 'test', slug, 'template.yaml'), common(slug) + rest);
  }
  return folder;
}
