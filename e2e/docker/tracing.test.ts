import { type ReceivedSpan, startOtlpReceiver } from '@hortus/testkit/otlp-receiver';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { act, createAndDeploy, ended, inside, openInstallation } from './installation.ts';

const PASSWORD = 'a password that was given 5c1d';

/** A page with a generated secret, a given one, a failing action and one with a secret param. */
const guarded = `
slug: guarded
name: Guarded
version: 1.0.0
archetype: application
taxonomy: {kingdom: applications, family: website}
image: {repository: hortus.test/page, tag: "1"}
inputs:
  required: [{name: PASSWORD, type: password}]
secrets:
  TOKEN: {generate: password, length: 32}
env: {TOKEN: "\${secrets.TOKEN}", PASSWORD: "\${inputs.PASSWORD}"}
command: [httpd, -f, -p, "8080", -h, /www]
stop_signal: SIGKILL
files: [{mount_path: /www/index.html, content: "\${secrets.TOKEN}"}]
healthcheck: {http: {port: 8080, path: /}, interval: 200ms, timeout: 1s, retries: 3, start_period: 3s}
actions:
  - {name: Use a secret, slug: use, type: exec, timeout: 30s, command: [sh, -c, 'echo "$1" >&2; exit 4', use, "\${params.word}"],
     params: [{name: word, type: password, required: true}]}
`;

/** Names of the spans from a span up to the first one of its trace. */
function pathOf(spans: readonly ReceivedSpan[], from: ReceivedSpan): string[] {
  const above = spans.find(({ spanId, traceId }) => spanId === from.parentSpanId && traceId === from.traceId);
  return above ? [...pathOf(spans, above), from.name] : [from.name];
}

test('spans of a deployment form one tree from the request to the healthy container, without a secret', async () => {
  await using receiver = await startOtlpReceiver();
  await using installation = await openInstallation({ env: receiver.env, species: { guarded } });
  await installation.letIn(receiver.receiver.url);
  installation.startDaemon({ env: receiver.env });
  await installation.online();
  const { instanceId } = await createAndDeploy(installation, 'guarded-1', {
    species: 'guarded',
    inputs: { PASSWORD },
  });
  const find = (name: string) => receiver.spans().find((span) => span.name === name);
  const healthy = await until(() => find('step wait_healthy'), { describe: 'the span of the healthy container' });
  const whole = () => receiver.spans().filter(({ traceId }) => traceId === healthy.traceId);
  // A span is exported after those below it, so the tree is complete when only the request has no parent in it.
  const roots = () => {
    const ids = new Set(whole().map(({ spanId }) => spanId));
    return whole().filter(({ parentSpanId }) => !parentSpanId || !ids.has(parentSpanId));
  };
  await until(() => find('POST /api/v1/deploy/report') && roots().length === 1, {
    describe: () => `one tree; without a parent: ${roots().map(({ name }) => name)}`,
  });
  const spans = receiver.spans();
  expect(pathOf(spans, healthy)).toEqual([
    'POST /api/v1/deployments/execute',
    'storage.write',
    'deployment handover',
    'deployment',
    'step wait_healthy',
  ]);
  expect(roots()).toMatchObject([{ name: 'POST /api/v1/deployments/execute', parentSpanId: undefined }]);
  expect(new Set(whole().map(({ program }) => program))).toEqual(new Set(['hortus', 'hortusd']));
  const names = whole().map(({ name }) => name);
  // The Swarm itself creates containers and replaces the former ones.
  const byDaemon = installation.kind === 'cluster' ? [] : ['create', 'switch'];
  for (const step of ['network', 'files', 'start', 'wait_healthy', ...byDaemon])
    expect(names).toContain(`step ${step}`);
  expect(names).toContain('POST /api/v1/deploy/report');
  expect(whole().filter(({ failed }) => failed)).toEqual([]);

  const word = 'a word that only the action knows 9e2f';
  const outcome = await ended(installation, await act(installation, instanceId, 'use', { word }));
  expect(outcome.status).toBe('failed');
  const action = await until(() => find('execution handover') && find('action use'), {
    describe: 'the span of the action',
  });
  expect(pathOf(receiver.spans(), action)).toEqual([
    'POST /api/v1/instances/{id}/actions/{slug}/execute',
    'storage.write',
    'execution handover',
    'action use',
  ]);
  expect(action.failed).toBe(true);

  const token = (await inside(installation.engine, 'guarded-1', 'cat', '/www/index.html')).trim();
  expect(token).toHaveLength(32);
  const exported = receiver.receiver.requests.map(({ body }) => body).join('\n');
  for (const secret of [token, PASSWORD, word, installation.service.key, installation.serverKey])
    expect(exported).not.toContain(secret);
});

test('a daemon that exports nothing deploys in the trace of the service as usual', async () => {
  await using receiver = await startOtlpReceiver();
  await using installation = await openInstallation({ env: receiver.env });
  const daemon = installation.startDaemon();
  await installation.online();
  await createAndDeploy(installation, 'page-1');
  await until(() => receiver.spans().some(({ name }) => name === 'deployment handover'), { describe: 'the handover' });
  expect(new Set(receiver.spans().map(({ program }) => program))).toEqual(new Set(['hortus']));
  expect(daemon.running).toBe(true);
});
