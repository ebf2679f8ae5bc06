import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '@hortus/daemon/engine/engine';
import { severableNetwork } from '@hortus/testkit/severable-network';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import {
  act,
  createAndDeploy,
  deploy,
  ended,
  finished,
  type Installation,
  inside,
  openInstallation,
} from '../docker/installation.ts';
import { PAGE_IMAGE } from '../docker/test-species.ts';

/** Longer than the deployment's deadline of 30 s and the action's timeout of 12 s plus its grace of 30 s. */
const CUT_MS = 44_000;

/** Writes a line and then waits for a file, except in the first round. */
const gated = (name: string, after: string) => `
  ${name}:
    kind: job
    run: before_start
    image: "\${template.image}"
    command: [sh, -c, 'echo "${name} $1" >> /data/lines; [ "$1" = 1 ] || until [ -e "/data/go-${name}" ]; do sleep 0.1; done', job, "\${inputs.ROUND}"]
    storage: [{name: data, mount_path: /data, shared: true}]
    ${after}`;

const waiting = (timeout: string) =>
  `type: exec, timeout: ${timeout}, params: [{name: line, type: text, required: true}], command: [sh, -c, ` +
  `'echo "begun $1" >> /data/lines; until [ -e "/data/go-$1" ]; do sleep 0.1; done; echo "done $1" >> /data/lines; echo "did $1"', ` +
  `wait, "\${params.line}"]`;

/** A page with three jobs and an action that each wait for a file. */
const furrow = `
slug: furrow
name: Furrow
description: A page that is sown in three steps.
version: 1.0.0
app_version: "1"
archetype: application
taxonomy: {kingdom: applications, family: website}
image: {repository: ${PAGE_IMAGE}, tag: "1"}
inputs:
  optional:
    - {name: ROUND, type: string, default: "1"}
deadline: 30s
components:
  main:
    image: "\${template.image}"
    command: [httpd, -f, -p, "8080", -h, /www]
    env: {ROUND: "\${inputs.ROUND}"}
    stop_signal: SIGKILL
    files: [{mount_path: /www/index.html, mode: "0644", content: grown}]
    storage: [{name: data, mount_path: /data, shared: true}]
    healthcheck: {http: {port: 8080, path: /}, interval: 200ms, timeout: 1s, retries: 3, start_period: 2s}
    depends_on: {third: completed}
${gated('first', '')}
${gated('second', 'depends_on: {first: completed}')}
${gated('third', 'depends_on: {second: completed}')}
actions:
  - {name: Wait shortly, slug: short, component: main, ${waiting('12s')}}
  - {name: Wait, slug: long, component: main, ${waiting('300s')}}
`;

test('a network cut longer than every deadline: all work finishes correctly and nothing runs twice', {
  timeout: 300_000,
}, async () => {
  using network = severableNetwork();
  await using installation = await openInstallation({
    network,
    species: { furrow },
    env: { HORTUS_PING_SECONDS: '3' },
  });
  const { engine } = installation;
  const { client } = installation.service;
  installation.startDaemon();
  await installation.online();
  const uids = ['cut-before', 'cut-under-way', 'cut-done', 'cut-acting'] as const;
  const [before, underWay, done, acting] = (await Promise.all(
    uids.map((uid) => createAndDeploy(installation, uid, { species: 'furrow' })),
  )) as [Deployed, Deployed, Deployed, Deployed];
  const order = async ({ definitionId: id }: Deployed) => {
    await client.call('definitions.update', { params: { id }, body: { inputs: { ROUND: '2' } } });
    return await deploy(installation, id);
  };

  const [crossing, finishing] = await Promise.all([order(underWay), order(done)]);
  const written = (uid: string, line: string) => wrote(engine, uid, line);
  await Promise.all([written('cut-under-way', 'first 2'), written('cut-done', 'first 2')]);
  const run = (slug: string, line: string) => act(installation, acting.instanceId, slug, { line });
  await go(engine, 'cut-acting', 'unheard', 'late');
  const [ending, hanging, lasting] = await Promise.all([
    run('short', 'ending'),
    run('short', 'hanging'),
    run('long', 'lasting'),
  ]);
  await Promise.all(['ending', 'hanging', 'lasting'].map((line) => written('cut-acting', `begun ${line}`)));

  network.cut();
  const cutAt = performance.now();
  const cutFor = (ms: number) => sleep(Math.max(0, cutAt + ms - performance.now()));
  // The service has not noticed yet and sends this one over a dead connection.
  const unheard = await run('short', 'unheard');
  await go(engine, 'cut-acting', 'ending');
  await go(engine, 'cut-before', 'first', 'second', 'third');
  const ordered = await order(before);
  // The rollout completes on the engine, but the daemon cannot report it.
  await go(engine, 'cut-done', 'first', 'second', 'third');
  await until(async () => (await engine.inspect('cut-done'))?.labels['hortus.revision'] === '2', {
    describe: 'the rollout to be done on the engine',
  });
  await written('cut-acting', 'done ending');
  const server = async () => (await client.call('servers.read', { params: { id: installation.serverId } })).data;
  await until(async () => (await server()).status === 'offline', {
    describe: 'the server to be offline',
  });
  const late = await run('short', 'late');
  await cutFor(CUT_MS / 3);
  await go(engine, 'cut-under-way', 'first');
  await written('cut-under-way', 'second 2');
  await cutFor((CUT_MS * 2) / 3);
  await go(engine, 'cut-under-way', 'second');
  await written('cut-under-way', 'third 2');
  await cutFor(CUT_MS);
  // Nothing was given up meanwhile.
  const statusOf = async (id: string) => (await client.call('deployments.read', { params: { id } })).data.status;
  expect(await Promise.all([crossing, finishing, ordered].map(statusOf))).toEqual(['running', 'running', 'pending']);
  const endOf = async (id: string) =>
    (await client.call('actions.read', { params: { execution_id: id } })).execution.status;
  expect(await Promise.all([ending, hanging, lasting, unheard, late].map(endOf))).toEqual([
    ...['running', 'running', 'running', 'sent', 'pending'],
  ]);

  network.mend();
  await go(engine, 'cut-under-way', 'third');
  await go(engine, 'cut-acting', 'lasting');
  for (const id of [crossing, finishing, ordered]) {
    const { status, error, logs } = await finished(installation, id, 90_000);
    expect(status, error ?? '').toBe('success');
    const lines = logs.map(({ step, message }) => `${step} ${message}`);
    expect(new Set(lines).size, lines.join('\n')).toBe(lines.length);
  }
  for (const [id, line] of [
    [ending, 'ending'],
    [lasting, 'lasting'],
    [unheard, 'unheard'],
    [late, 'late'],
  ] as const) {
    expect(await ended(installation, id, 90_000)).toMatchObject({
      status: 'completed',
      exit_code: 0,
      output: `did ${line}\n`,
    });
  }
  expect(await ended(installation, hanging)).toMatchObject({
    status: 'timeout',
    error: 'The command did not finish within 12 s.',
  });

  const linesOf = async (uid: string) => (await inside(engine, uid, 'cat', '/data/lines')).trim().split('\n').sort();
  const sown = ['first 1', 'first 2', 'second 1', 'second 2', 'third 1', 'third 2'];
  for (const uid of ['cut-before', 'cut-under-way', 'cut-done']) expect(await linesOf(uid)).toEqual(sown);
  expect(await linesOf('cut-acting')).toEqual([
    ...['begun ending', 'begun hanging', 'begun lasting', 'begun late', 'begun unheard'],
    ...['done ending', 'done lasting', 'done late', 'done unheard'],
    ...['first 1', 'second 1', 'third 1'],
  ]);
  await expectEvents(installation, {
    ...Object.fromEntries(
      [crossing, finishing, ordered].map((id) => [id, ['deployment.started', 'deployment.success']]),
    ),
    ...Object.fromEntries([ending, lasting, unheard, late].map((id) => [id, ['action.completed']])),
    [hanging]: ['action.failed'],
  });
  await until(async () => (await server()).status === 'online', { describe: 'the server to be online' });
  const instance = async ({ instanceId: id }: Deployed) =>
    (await client.call('instances.read', { params: { id } })).data;
  for (const deployed of [before, underWay, done, acting])
    await until(async () => (await instance(deployed)).status === 'running', {
      describe: 'the instance to be found again',
    });
});

type Deployed = Awaited<ReturnType<typeof createAndDeploy>>;

const wrote = (engine: Engine, uid: string, line: string) =>
  until(async () => (await inside(engine, uid, 'cat', '/data/lines')).split('\n').includes(line), {
    every: 50,
    describe: `the line ${line} of ${uid}`,
  });

/** Releases the jobs and actions that wait for these names. */
async function go(engine: Engine, uid: string, ...names: string[]): Promise<void> {
  await inside(engine, uid, 'touch', ...names.map((name) => `/data/go-${name}`));
}

/** Waits for exactly these events, because numbering is asynchronous. */
async function expectEvents(installation: Installation, expected: Record<string, string[]>): Promise<void> {
  let reported: Record<string, string[]> = {};
  const seen = async () => {
    const all = await eventsOf(installation);
    reported = Object.fromEntries(Object.keys(expected).map((id) => [id, all.get(id) ?? []]));
    return Object.entries(expected).every(([id, types]) => (reported[id]?.length ?? 0) >= types.length);
  };
  await until(seen, { describe: () => `every event, there is ${JSON.stringify(reported)}` });
  expect(reported).toEqual(expected);
}

/** Returns the event types of each deployment and execution, in order. */
async function eventsOf(installation: Installation): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (let page = 1, pages = 1; page <= pages; page++) {
    const { data, pagination } = await installation.service.client.call('events.list', {
      query: { page, per_page: 100 },
    });
    pages = pagination.total_pages;
    for (const { type, data: about } of data) {
      const id = /"((?:dep|exe)_[^"]+)"/.exec(JSON.stringify(about))?.[1];
      if (id !== undefined && /^(deployment|action)\./.test(type))
        found.set(id, [...(found.get(id) ?? []), type].sort());
    }
  }
  return found;
}
