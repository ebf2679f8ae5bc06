import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { readSpecies, resolvedSpecies } from '@hortus/template/testing/resolved-species';
import { freePort } from '@hortus/testkit/port';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { FIRST_FILL_MS } from '@hortus/testkit/test-cache';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { startGhost, startMariadb } from './ghost-program.ts';

const owner = { name: 'Ada', email: 'ada@example.org', password: 'one garden, many beds', blogTitle: 'Beds' };

/** Signs in as a browser without cookies, which Ghost takes for a new device, and reads who it is. */
async function signIn(port: number, device: string) {
  const session = { username: owner.email, password: owner.password };
  const { status, text, cookies } = await ask(port, 'POST', 'session', session, { 'user-agent': device });
  const me = await ask(port, 'GET', 'users/me', undefined, { 'user-agent': device, cookie: cookies });
  return { signedIn: status, message: text, me: me.status };
}

async function ask(port: number, method: string, path: string, body?: object, headers = {}) {
  const blog = 'blog.example.org';
  const sent = request({
    ...{ port, host: '127.0.0.1', method, path: `/ghost/api/admin/${path}/` },
    headers: {
      ...{ host: blog, origin: `https://${blog}`, 'x-forwarded-proto': 'https', 'content-type': 'application/json' },
      ...headers,
    },
  });
  sent.end(body && JSON.stringify(body));
  const [response] = await once(sent, 'response');
  const cookies = (response.headers['set-cookie'] ?? []).map((line: string) => line.split(';')[0]).join('; ');
  return { status: response.statusCode as number, text: await textOf(response), cookies };
}

test('staff of Ghost sign in on a new device while mail is off; with the default of Ghost they could not', {
  timeout: FIRST_FILL_MS,
}, async () => {
  await using folder = temporaryFolder('ghost');
  const spec = await readSpecies('blog/ghost');
  const { components } = await resolvedSpecies(spec, { inputs: { WEB_HOSTNAME: 'blog.example.org' } });
  const { security__staffDeviceVerification: ours, ...defaults } =
    components.find(({ name }) => name === 'app')?.env ?? {};
  const { server, port: database } = await startMariadb(join(folder.path, 'db'));
  await using _server = server;
  const devices = async (env: Record<string, string>, place: string) => {
    const port = await freePort();
    const options = { folder: join(folder.path, place), database: { port: database, name: place }, port };
    await using ghost = await startGhost(spec.app_version ?? '', env, options);
    const state = async () => {
      if (!ghost.running) return 'ended';
      return (await ask(port, 'GET', 'site')).status === 200 && 'ready';
    };
    expect(await until(state, { describe: 'Ghost to answer', within: 300_000 }), ghost.output).toBe('ready');
    const setup = await ask(port, 'POST', 'authentication/setup', { setup: [owner] });
    expect(setup.status, setup.text).toBe(201);
    return [await signIn(port, 'one'), await signIn(port, 'another')];
  };
  const accepted = { signedIn: 201, message: 'Created', me: 200 };
  expect(await devices({ ...defaults, security__staffDeviceVerification: ours ?? '' }, 'first')).toEqual([
    accepted,
    accepted,
  ]);
  const refused = { signedIn: 500, message: expect.stringContaining('Failed to send email'), me: 403 };
  expect((await devices(defaults, 'second'))[1]).toEqual(refused);
});
