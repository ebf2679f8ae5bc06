import { startOtlpReceiver } from '@hortus/testkit/otlp-receiver';
import { until } from '@hortus/testkit/until';
import { afterEach, expect, test, vi } from 'vitest';
import { inThisSpan, isTracing, span, traceParent } from './span.ts';
import { startTelemetry } from './start.ts';

afterEach(() => vi.unstubAllEnvs());

/** The exporters read the environment of the process. */
async function telemetryTo(variables: Readonly<Record<string, string>>) {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const warnings: string[] = [];
  const warn = (text: string) => void warnings.push(text);
  const started = await startTelemetry({ env: process.env, name: 'test', version: '1', warn });
  return { started, warnings };
}

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

test('without an endpoint work runs as it is, outside of any span', async () => {
  const { started } = await telemetryTo({});
  expect(started).toBeUndefined();
  expect(isTracing()).toBe(false);
  expect(span('work', {}, () => traceParent())).toBeUndefined();
});

test('spans of nested work form one tree below the given parent', async () => {
  await using receiver = await startOtlpReceiver();
  const { started } = await telemetryTo(receiver.env);
  await span('order', { parent: PARENT, kind: 'server', attributes: { number: 1, absent: undefined } }, async () => {
    await Promise.all(['one', 'two'].map((name) => span(name, {}, async () => void (await Promise.resolve()))));
  });
  await started?.stop();
  const spans = receiver.spans();
  const order = spans.find(({ name }) => name === 'order');
  expect(order).toMatchObject({
    traceId: '0af7651916cd43dd8448eb211c80319c',
    parentSpanId: 'b7ad6b7169203331',
    attributes: { number: 1 },
    program: 'test',
    failed: false,
  });
  expect(order?.attributes).not.toHaveProperty('absent');
  for (const name of ['one', 'two'])
    expect(spans.find((span) => span.name === name)).toMatchObject({
      traceId: order?.traceId,
      parentSpanId: order?.spanId,
    });
  expect(isTracing()).toBe(false);
});

test('work that a queue runs later keeps its span; what outlives a span does not join its trace', async () => {
  await using receiver = await startOtlpReceiver();
  const { started } = await telemetryTo(receiver.env);
  let queued = () => {};
  let release = () => {};
  let later: string | undefined = 'not run';
  const outlives = span('request', { parent: null }, () => {
    queued = inThisSpan(() => span('transaction', {}, () => {}));
    const waiting = new Promise<void>((resolve) => {
      release = resolve;
    });
    const loop = waiting.then(() => {
      later = traceParent();
      span('loop', {}, () => {});
    });
    span('other', { parent: null }, () => queued());
    return { loop };
  });
  release();
  await outlives.loop;
  await started?.stop();
  const of = (name: string) => receiver.spans().find((span) => span.name === name);
  expect(of('transaction')?.parentSpanId).toBe(of('request')?.spanId);
  expect(of('other')?.traceId).not.toBe(of('request')?.traceId);
  expect(later).toBeUndefined();
  expect(of('loop')?.traceId).not.toBe(of('request')?.traceId);
});

test('the text of an error is not exported, only its name or code', async () => {
  await using receiver = await startOtlpReceiver();
  const { started } = await telemetryTo(receiver.env);
  const work = async () => {
    throw Object.assign(new Error('the password hunter2 is wrong'), { code: 'EACCES' });
  };
  await expect(span('failing', {}, work)).rejects.toThrow('hunter2');
  expect(() =>
    span('failing at once', {}, () => {
      throw new TypeError('hunter2');
    }),
  ).toThrow('hunter2');
  await started?.stop();
  const reasons = receiver.spans().map(({ name, failed, attributes }) => [name, failed, attributes['error.type']]);
  expect(reasons).toEqual([
    ['failing', true, 'EACCES'],
    ['failing at once', true, 'TypeError'],
  ]);
  expect(receiver.receiver.requests.map(({ body }) => body).join()).not.toContain('hunter2');
});

test('a malformed traceparent begins a trace of its own', async () => {
  await using receiver = await startOtlpReceiver();
  const { started } = await telemetryTo(receiver.env);
  const malformed = ['', 'x', '00-0-0-01', `${PARENT}-more`, '00-00000000000000000000000000000000-b7ad6b7169203331-01'];
  for (const parent of malformed) span('request', { parent }, () => {});
  await started?.stop();
  const spans = receiver.spans();
  expect(spans.map(({ parentSpanId }) => parentSpanId)).toEqual(malformed.map(() => undefined));
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(malformed.length);
});

test('the sampler of the environment decides, but the parent decides first', async () => {
  await using receiver = await startOtlpReceiver();
  const { started } = await telemetryTo({ ...receiver.env, OTEL_TRACES_SAMPLER: 'parentbased_always_off' });
  span('not sampled', { parent: null }, () => expect(traceParent()).toMatch(/-00$/));
  span('sampled by its parent', { parent: PARENT }, () => {});
  await started?.stop();
  expect(receiver.spans().map(({ name }) => name)).toEqual(['sampled by its parent']);
});

test('name and attributes of the environment win, and headers are sent', async () => {
  await using receiver = await startOtlpReceiver();
  const { started } = await telemetryTo({
    ...receiver.env,
    OTEL_SERVICE_NAME: 'garden',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc',
  });
  span('work', {}, () => {});
  await started?.stop();
  expect(receiver.spans()).toMatchObject([{ program: 'garden' }]);
  const [request] = receiver.receiver.requests;
  expect(request?.body).toContain('deployment.environment.name');
  expect(request?.headers.authorization).toBe('Bearer abc');
});

test('protobuf is the default protocol', async () => {
  await using receiver = await startOtlpReceiver();
  const { OTEL_EXPORTER_OTLP_PROTOCOL: _, ...env } = receiver.env;
  receiver.receiver.respond({ status: 200, headers: { 'content-type': 'application/x-protobuf' } });
  const { started } = await telemetryTo(env);
  span('in protobuf', {}, () => {});
  await started?.exportMetrics(async () => [
    { name: 'things', help: 'Things.', type: 'gauge', values: [{ value: 3, labels: {} }] },
  ]);
  await started?.stop();
  const sent = receiver.receiver.requests;
  expect(new Set(sent.map(({ headers }) => headers['content-type']))).toEqual(new Set(['application/x-protobuf']));
  expect(sent.find(({ path }) => path === '/v1/traces')?.body).toContain('in protobuf');
  expect(sent.find(({ path }) => path === '/v1/metrics')?.body).toContain('things');
});

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_TRACES_SAMPLER', 'sometimes'],
  ['OTEL_TRACES_SAMPLER_ARG', '2'],
  ['OTEL_BSP_SCHEDULE_DELAY', 'soon'],
  ['OTEL_METRIC_EXPORT_INTERVAL', '0'],
])('a wrong %s is a warning that names it, and nothing is exported', async (name, value) => {
  await using receiver = await startOtlpReceiver();
  const { started, warnings } = await telemetryTo({ ...receiver.env, [name]: value });
  expect(started).toBeUndefined();
  expect(isTracing()).toBe(false);
  expect(warnings).toEqual([expect.stringContaining(`${name} must be`)]);
});

test('a receiver that hangs holds neither the work nor the end, and spans beyond the queue are dropped', async () => {
  await using receiver = await startOtlpReceiver();
  receiver.receiver.respond({ hang: true });
  const { started, warnings } = await telemetryTo({ ...receiver.env, OTEL_EXPORTER_OTLP_TIMEOUT: '600000' });
  for (let n = 0; n < 10_000; n++) span('work', {}, () => {});
  await until(() => receiver.receiver.requests.length > 0, { describe: 'the first export' });
  for (let n = 0; n < 10_000; n++) span('work', {}, () => {});
  await started?.stop();
  // At most a full queue and the batch under way.
  expect(receiver.spans().length).toBeLessThanOrEqual(2_048 + 512);
  expect(warnings.length).toBeLessThanOrEqual(1);
});

test('a receiver that refuses every export is reported in one line a minute', async () => {
  await using receiver = await startOtlpReceiver();
  receiver.receiver.respond({ status: 400 });
  const { started, warnings } = await telemetryTo(receiver.env);
  for (let exports = 1; exports <= 3; exports++) {
    span('work', {}, () => {});
    await until(() => receiver.receiver.requests.length >= exports, { describe: `export ${exports}` });
  }
  await started?.stop();
  expect(warnings).toEqual([expect.stringContaining('could not be exported')]);
});
