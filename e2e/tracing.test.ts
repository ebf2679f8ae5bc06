import { join } from 'node:path';
import { startOtlpReceiver } from '@hortus/testkit/otlp-receiver';
import { freePort } from '@hortus/testkit/port';
import { startProcess } from '@hortus/testkit/process';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { registerServer, startService } from './service-process.ts';

const packages = join(import.meta.dirname, '../packages');

/** Prints every loaded module of OpenTelemetry, and of ours that use it. */
const listModules = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, next) {
    if (/@opentelemetry|packages\\/tracing/.test(url)) process.stderr.write('loaded ' + url + '\\n');
    return next(url, context);
  },
});
`)}`;

/** Lists the packages and files of tracing that a program has loaded. */
const loadedIn = (output: string): string[] => [
  ...new Set(
    [...output.matchAll(/^loaded .*\/(@opentelemetry\/[^/\n]+|packages\/tracing\/src\/[^/\n]+)/gm)].map(
      ([, name]) => name ?? '',
    ),
  ),
];

test('without the variable neither program loads the SDK of OpenTelemetry; with it both do', async () => {
  await using folder = temporaryFolder('modules');
  await using receiver = await startOtlpReceiver();
  const load = async (main: string, args: string[], env: Record<string, string>, until: RegExp) => {
    // From the source: a bundle has other module names.
    await using child = startProcess([process.execPath, '--import', listModules, join(packages, main), ...args], {
      env,
    });
    await child.waitForLine(until);
    return loadedIn(child.stderr).sort();
  };
  const service = async (name: string, env: Record<string, string> = {}) => {
    const port = String(await freePort());
    const own = { HORTUS_PORT: port, HORTUS_DATA_DIR: join(folder.path, name), HORTUS_LOCAL_SERVER: 'off' };
    return await load('service/src/main.ts', [], { ...own, ...env }, /Hortus is listening/);
  };
  const daemon = (name: string, env: Record<string, string> = {}) => {
    const args = ['run', '--url', 'http://127.0.0.1:1', '--state-dir', join(folder.path, name), '--caddy', 'off'];
    const own = { HORTUSD_KEY: 'hs_live_nobody', HORTUSD_DOCKER_SOCKET: join(folder.path, 'none') };
    return load('daemon/src/main.ts', args, { ...own, ...env }, /hortusd started/);
  };
  const seam = ['packages/tracing/src/span.ts', 'packages/tracing/src/start.ts'];
  // prom-client itself loads the API, which has no effect without an SDK.
  expect(await service('quiet')).toEqual(['@opentelemetry/api', ...seam]);
  expect(await daemon('quiet-daemon')).toEqual(seam);
  expect(await service('traced', receiver.env)).toContain('@opentelemetry/sdk-trace');
  expect(await daemon('traced-daemon', receiver.env)).toContain('@opentelemetry/sdk-trace');
});

test('a request continues the trace of its caller, with its route but no value of its path, query or body', async () => {
  await using folder = temporaryFolder('traced');
  await using receiver = await startOtlpReceiver();
  const service = await startService({ directory: folder.path, env: receiver.env });
  await using _ = service.process;
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const headers = {
    authorization: `Bearer ${service.key}`,
    traceparent: `00-${traceId}-b7ad6b7169203331-01`,
    'content-type': 'application/json',
  };
  const body = JSON.stringify({ name: 'secret-name-in-body', environment: 'production' });
  await fetch(`${service.base}/servers/register`, { method: 'POST', headers, body });
  await fetch(`${service.base}/servers/secret-in-path?q=secret-in-query`, { headers });
  await fetch(`${service.base}/nothing/secret-in-unknown-path`, { headers });
  // The second answer of the catalog comes from the cache before the router.
  for (let times = 0; times < 2; times++) await fetch(`${service.base}/templates?per_page=1`, { headers });
  const named = (name: string) => receiver.spans().filter((span) => span.name === name);
  await until(() => named('GET /api/v1/templates').length === 2, { describe: 'the spans of the requests' });
  const [registered] = named('POST /api/v1/servers/register');
  expect(registered).toMatchObject({
    traceId,
    parentSpanId: 'b7ad6b7169203331',
    program: 'hortus',
    attributes: { 'http.response.status_code': 201, 'hortus.account_id': expect.stringMatching(/^acc_/) },
  });
  expect(receiver.spans()).toContainEqual(
    expect.objectContaining({ name: 'storage.write', parentSpanId: registered?.spanId, traceId }),
  );
  expect(named('GET /api/v1/servers/{id}')).toMatchObject([
    { traceId, attributes: { 'http.response.status_code': 404 } },
  ]);
  expect(named('GET')).toMatchObject([{ traceId, attributes: { 'http.response.status_code': 404 } }]);
  const exported = receiver.receiver.requests.map((request) => request.body).join();
  expect(exported).not.toMatch(/secret-/);
  expect(exported).not.toContain(service.key);
});

test('the metrics of /metrics are exported with the same values', async () => {
  await using folder = temporaryFolder('metrics');
  await using receiver = await startOtlpReceiver();
  const service = await startService({ directory: folder.path, env: receiver.env });
  await using _ = service.process;
  await registerServer(service.client);
  const requests = await until(
    () => {
      const [found] = receiver.metrics().filter(({ name, data }) => {
        return name === 'hortus_http_requests_total' && JSON.stringify(data).includes('servers.register');
      });
      return found;
    },
    { describe: 'the counter of requests' },
  );
  expect(requests.program).toBe('hortus');
  expect(requests.data.sum).toMatchObject({
    isMonotonic: true,
    dataPoints: expect.arrayContaining([
      expect.objectContaining({
        asDouble: 1,
        attributes: expect.arrayContaining([{ key: 'endpoint', value: { stringValue: 'servers.register' } }]),
      }),
    ]),
  });
  const names = new Set(receiver.metrics().map(({ name }) => name));
  const text = await (await fetch(`${service.root}/metrics`)).text();
  for (const [, name] of text.matchAll(/^# TYPE (\S+) (?:counter|gauge|histogram)$/gm)) expect(names).toContain(name);
});

test('a receiver that hangs delays no request and not the end of the service', async () => {
  await using folder = temporaryFolder('hanging');
  await using receiver = await startOtlpReceiver();
  receiver.receiver.respond({ hang: true });
  const service = await startService({ directory: folder.path, env: receiver.env });
  await registerServer(service.client, 'first');
  await until(() => receiver.receiver.requests.length > 0, { describe: 'an export that hangs' });
  for (let n = 0; n < 50; n++) await registerServer(service.client, `server-${n}`);
  expect(await service.process.stop({ within: 60_000 })).toEqual({ code: 0, signal: null });
});
