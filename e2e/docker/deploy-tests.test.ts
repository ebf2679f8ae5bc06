import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Installation, openInstallationWithDaemon } from './installation.ts';
import { PAGE_IMAGE } from './test-species.ts';

/** A page with a volume and a route; the smoke test expects the given text. */
const draft = (slug: string, contains: string, start = '') => `slug: ${slug}
name: ${slug}
version: 1.0.0
archetype: application
taxonomy: {kingdom: applications, family: website}
image: {repository: ${PAGE_IMAGE}, tag: "1"}
inputs: {required: [{name: WEB_HOSTNAME, type: domain}]}
secrets: {TOKEN: {generate: password, length: 32}}
routes: [{name: web, port: 8080, host: "\${inputs.WEB_HOSTNAME}", path: /, tls: "off", primary: true}]
env: {TOKEN: "\${secrets.TOKEN}"}
command: [sh, -c, '${start}touch /data/fish; exec httpd -f -p 8080 -h /www']
stop_signal: SIGKILL
files: [{mount_path: /www/index.html, mode: "0644", content: "welcome"}]
storage: [{name: data, mount_path: /data, critical: true}]
healthcheck: {http: {port: 8080}, interval: 200ms, timeout: 1s, retries: 3, start_period: 10s}
smoke:
  - {http: {route: web, path: /, expect: 200, contains: ${contains}}}
  - {tcp: {port: 8080}}
  - {exec: {command: [test, -e, /data/fish]}}
`;

let installation: Installation;
beforeAll(async () => {
  installation = await openInstallationWithDaemon();
  await installation.service.client.call('servers.update', {
    params: { id: installation.serverId },
    body: { deploy_tests: true },
  });
});
afterAll(() => installation?.[Symbol.asyncDispose]());

async function begin(source: string) {
  const { client } = installation.service;
  const { data } = await client.call('drafts.create', { body: { source } });
  await client.call('drafts.validate', { params: { id: data.id } });
  return (await client.call('drafts.test', { params: { id: data.id }, body: {} })).data;
}

/** Waits for the result of a test and for the removal of its containers. */
async function cleared(templateId: string) {
  const poll = async () => {
    const tests = await installation.service.client
      .call('drafts.tests', { params: { id: templateId } })
      .catch(() => undefined);
    const newest = tests?.data[0];
    return newest?.cleared ? newest : undefined;
  };
  return await until(poll, { describe: 'the end of the test', within: 90_000 });
}

async function leftovers(): Promise<string[]> {
  const { engine, serverId } = installation;
  const labels = { 'hortus.server': serverId, 'hortus.instance': true } as const;
  const [containers, volumes, networks] = [
    await engine.containers({ labels }),
    await engine.volumes({ labels }),
    await engine.networks({ labels }),
  ];
  return [...containers, ...volumes, ...networks].map(({ name }) => name);
}

test('a working template passes its test deployment, leaves nothing, and can be published', {
  timeout: 300_000,
}, async () => {
  const { template_id: id } = await begin(draft('pond', 'welcome'));
  const end = await cleared(id);
  expect(end, `${end.error}\n${end.output}`).toMatchObject({ status: 'passed', reason: null, error: null });
  expect(end.output?.split('\n')).toEqual([
    expect.stringMatching(/^passed {2}GET \/ of route web: 200/),
    expect.stringMatching(/^passed {2}a connection to main on port 8080/),
    expect.stringMatching(/^passed {2}test -e \/data\/fish in main/),
    '',
  ]);
  expect(await leftovers()).toEqual([]);
  const { data } = await installation.service.client.call('drafts.promote', { params: { id } });
  expect(data.status).toBe('published');
});

test('a failed smoke test reports the actual result and leaves nothing', {
  timeout: 300_000,
}, async () => {
  const { template_id: id } = await begin(draft('bog', 'goodbye'));
  const end = await cleared(id);
  expect(end).toMatchObject({ status: 'failed', reason: 'smoke' });
  expect(end.error).toBe('GET / of route web: expected 200 with "goodbye", saw 200: welcome.');
  expect(await leftovers()).toEqual([]);
  await expect(installation.service.client.call('drafts.promote', { params: { id } })).rejects.toMatchObject({
    status: 422,
  });
});

test('a killed service resumes the test and removes everything it deployed', {
  timeout: 240_000,
}, async () => {
  // Becomes healthy slowly, so that the kill hits in between.
  const { template_id: id } = await begin(draft('marsh', 'welcome', 'sleep 3; '));
  await until(async () => (await leftovers()).length > 0, { describe: 'something deployed', within: 60_000 });
  await installation.restartService();
  expect(await cleared(id)).toMatchObject({ status: 'passed' });
  expect(await leftovers()).toEqual([]);
});
