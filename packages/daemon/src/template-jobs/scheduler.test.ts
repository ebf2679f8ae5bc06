import { join } from 'node:path';
import type { ManifestComponent } from '@hortus/contract/template/manifest';
import { openLog } from '@hortus/logging/log';
import { type TemporaryFolder, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Actions } from '../actions/actions.ts';
import { Shims } from '../actions/shims.ts';
import { BackupActions } from '../backup/backup-actions.ts';
import { FolderStore } from '../backup/folder-store.ts';
import { Turns } from '../concurrency/turns.ts';
import type { ActionRequest } from '../journal/action.ts';
import { type Journal, openJournal } from '../journal/journal.ts';
import { component, manifest } from '../plan/testing/manifests.ts';
import { image, TestServer } from '../rollout/testing/server.ts';
import { Signer } from '../testing/signing.ts';
import { builtInHandlers } from '../wiring/built-in-handlers.ts';
import { Scheduler } from './scheduler.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let server: TestServer;
let folder: TemporaryFolder;
let journal: Journal;
let actions: Actions;
let scheduler: Scheduler;
let turns: Turns;
let due: ActionRequest[];
let now: number;
let leads: boolean;

beforeAll(async () => {
  server = await TestServer.open();
});
afterAll(() => server.close());
beforeEach(() => {
  folder = temporaryFolder('scheduler');
  now = Date.UTC(2026, 2, 1, 10, 30);
  leads = true;
  open();
});
afterEach(async () => {
  await close();
  await folder.remove();
});

/** Starts a daemon. With `carryOut: false` it is killed before it runs what is due. */
function open({ carryOut = true } = {}) {
  journal = openJournal(folder.path);
  turns = new Turns();
  due = [];
  const log = openLog({ level: 'error' });
  const { engine, ingress } = server;
  const store = new FolderStore(join(folder.path, 'backups'));
  const backups = new BackupActions({
    engine,
    ingress,
    journal,
    store,
    log: openLog({ level: 'error' }),
    serverId: () => server.id,
    manifestOf: () => Promise.reject(new Error('No deployment waits.')),
  });
  actions = new Actions({
    journal,
    builtIns: builtInHandlers({ engine, journal, turns, serverId: () => server.id, backups }),
    engine,
    shims: new Shims({ command: ['false'], socket: server.socketPath }),
    turns,
    log,
    abandon: async () => {},
    unroute: async () => {},
    outputLimit: 10_000,
    onStarted: () => undefined,
    onUnkept: () => undefined,
    onFinished: () => undefined,
  });
  const onDue = (request: ActionRequest) => {
    due.push(request);
    if (carryOut) actions.run(request);
  };
  scheduler = new Scheduler({
    journal,
    engine: server.engine,
    log,
    leads: () => leads,
    busy: (uid) => turns.busy(uid),
    onDue,
    now: () => now,
  });
  if (carryOut) actions.recover();
}

async function close() {
  await scheduler.stop();
  await actions.stop();
  journal.close();
}

/** Each run appends a line to a file in the instance's volume. */
const tidy = (uid: string, after = 'true'): ManifestComponent =>
  component('tidy', {
    image,
    kind: 'job',
    run: 'schedule',
    schedule: 'hourly',
    restart: 'no',
    env: { WORD: 'a $ b' },
    command: ['sh', '-c', `echo "$WORD" >> /data/runs; echo swept; ${after}`],
    storage: [{ name: 'data', volume: `${uid}_data`, mount_path: '/data', read_only: false, critical: false }],
  });

async function deploy(after?: string, overrides: Partial<ManifestComponent> = {}): Promise<string> {
  const uid = server.newUid();
  const storage = [{ name: 'data', volume: `${uid}_data`, mount_path: '/data', read_only: true, critical: false }];
  const components = [
    component('main', { image, command: ['sleep', '100000'], init: true, storage }),
    { ...tidy(uid, after), ...overrides },
  ];
  const more = { instance: { uid, name: uid, server_id: server.id } };
  expect(await server.deploy(uid, components, { manifest: more })).toMatchObject({ status: 'success' });
  journal.manifests.keep(new Signer().sign(manifest(uid, components, more)));
  await scheduler.poll();
  expect(due).toEqual([]);
  return uid;
}

// Ignore the error of `cat` while the file does not exist.
const runs = async (uid: string) =>
  (await server.run(uid, 'cat', '/data/runs')).split('\n').filter((line) => line === 'a $ b');
const ran = (uid: string, times: number) =>
  until(async () => (await runs(uid)).length === times, { describe: `run ${times}` });
const outcome = (request: ActionRequest | undefined) =>
  until(() => journal.executions.find(request?.execution_id ?? '')?.outcome, {
    describe: 'the outcome',
  });

describe('a scheduled job', () => {
  it('runs once each time it is due, as declared in the manifest, and records its result', async () => {
    const uid = await deploy();
    now += 29 * MINUTE;
    await scheduler.poll();
    expect(due).toEqual([]);
    now += 2 * MINUTE;
    await Promise.all([scheduler.poll(), scheduler.poll()]);
    expect(due).toHaveLength(1);
    expect(await outcome(due[0])).toMatchObject({ status: 'completed', exit_code: 0, output: 'swept\n' });
    expect(due[0]?.scheduled).toMatchObject({ due_at: Date.UTC(2026, 2, 1, 11) });
    expect(await runs(uid)).toEqual(['a $ b']);
    const left = async () => (await server.names()).some((name) => name.includes(due[0]?.execution_id ?? '-'));
    await until(async () => !(await left()), { describe: 'the container to be removed' });
    now += HOUR;
    await scheduler.poll();
    await outcome(due[1]);
    expect(await runs(uid)).toHaveLength(2);
  });

  it('does not run on a member of a cluster that does not lead', async () => {
    await deploy();
    leads = false;
    now += 31 * MINUTE;
    await scheduler.poll();
    expect(due).toEqual([]);
    leads = true;
    await scheduler.poll();
    expect(due).toHaveLength(1);
    await outcome(due[0]);
  });

  it('that fails is reported with its output', async () => {
    await deploy('exit 3');
    now += HOUR;
    await scheduler.poll();
    expect(await outcome(due[0])).toMatchObject({ status: 'failed', exit_code: 3, output: 'swept\n' });
  });

  it('whose image cannot be pulled is reported, and leaves nothing behind', async () => {
    await deploy('true', { image: '127.0.0.1:1/nowhere/none:1' });
    now += HOUR;
    await scheduler.poll();
    expect(await outcome(due[0])).toMatchObject({ status: 'failed', error: expect.stringContaining('nowhere/none:1') });
    expect((await server.names()).filter((name) => name.includes(due[0]?.execution_id ?? '-'))).toEqual([]);
  });

  it('is skipped while the previous run is active', async () => {
    const uid = await deploy('sleep 100000');
    now += HOUR;
    await scheduler.poll();
    await ran(uid, 1);
    now += HOUR;
    await scheduler.poll();
    expect(due).toHaveLength(1);
    actions.cancel(due[0]?.execution_id ?? '');
    await outcome(due[0]);
    await scheduler.poll();
    expect(due).toHaveLength(1);
    now += HOUR;
    await scheduler.poll();
    expect(due).toHaveLength(2);
    await ran(uid, 2);
    actions.cancel(due[1]?.execution_id ?? '');
    await outcome(due[1]);
  });

  it('is ended when its instance is released, so that its volume can be removed', async () => {
    const uid = await deploy('sleep 100000');
    now += HOUR;
    await scheduler.poll();
    await ran(uid, 1);
    const release = { ...(due[0] as ActionRequest), execution_id: 'exe_release', params: { remove_volumes: true } };
    actions.handle({ ...release, action: { slug: 'hortus.release', type: 'builtin', command: [], timeout: '60s' } });
    expect(await outcome(release)).toMatchObject({ status: 'completed' });
    expect(await outcome(due[0])).toMatchObject({ status: 'failed' });
    const labels = { 'hortus.instance': uid };
    expect(await server.engine.containers({ labels })).toEqual([]);
    expect(await server.engine.volumes({ labels })).toEqual([]);
    now += HOUR;
    await scheduler.poll();
    expect(due).toHaveLength(1);
  });

  it('waits while another operation runs on its instance, and is skipped while the instance is stopped', async () => {
    const uid = await deploy();
    let release = () => {};
    const taken = turns.take(uid, () => new Promise<void>((resolve) => (release = resolve)));
    now += HOUR;
    await scheduler.poll();
    expect(due).toEqual([]);
    release();
    await taken;
    await scheduler.poll();
    expect(due).toHaveLength(1);
    await outcome(due[0]);
    await server.engine.stop(uid, 0);
    now += HOUR;
    await scheduler.poll();
    await server.engine.start(uid);
    await scheduler.poll();
    expect(due).toHaveLength(1);
  });

  it('is removed with its instance, and rescheduled when its schedule changes', async () => {
    const uid = await deploy();
    const [kept] = journal.schedules.all();
    expect(kept).toMatchObject({ instanceUid: uid, component: 'tidy', dueAt: Date.UTC(2026, 2, 1, 11) });
    const signed = journal.manifests.of(uid);
    if (!signed) throw new Error('there is no manifest');
    const components = signed.components.map((component) =>
      component.name === 'tidy' ? { ...component, schedule: 'daily' } : component,
    );
    journal.manifests.keep({ ...signed, components });
    await scheduler.poll();
    expect(journal.schedules.all()).toMatchObject([{ dueAt: Date.UTC(2026, 2, 2) }]);
    journal.manifests.forget(uid);
    await scheduler.poll();
    expect(journal.schedules.all()).toEqual([]);
  });
});

describe('a daemon that was killed', () => {
  it('before it started a run starts it once after its restart', async () => {
    // Uses the real clock: a run that could not start for long is dropped.
    now = Date.now();
    const uid = await deploy();
    await close();
    open({ carryOut: false });
    now += HOUR;
    await scheduler.poll();
    const [request] = due;
    await close();
    open();
    await scheduler.poll();
    expect(due).toEqual([]);
    expect(await outcome(request)).toMatchObject({ status: 'completed' });
    expect(await runs(uid)).toHaveLength(1);
  });

  it('during a run records its end, and does not run it again', async () => {
    const uid = await deploy('while [ ! -e /data/go ]; do sleep 0.1; done');
    now += HOUR;
    await scheduler.poll();
    const [request] = due;
    await ran(uid, 1);
    await close();
    open();
    await scheduler.poll();
    expect(due).toEqual([]);
    await server.engine.exec(`hortus-${request?.execution_id}`, { argv: ['touch', '/data/go'] });
    expect(await outcome(request)).toMatchObject({ status: 'completed', output: 'swept\n' });
    expect(await runs(uid)).toHaveLength(1);
  });

  it('and was down for long makes up for missed runs once', async () => {
    const uid = await deploy();
    await close();
    now += 100 * HOUR;
    open();
    await scheduler.poll();
    await scheduler.poll();
    expect(due).toHaveLength(1);
    await outcome(due[0]);
    expect(await runs(uid)).toHaveLength(1);
  });
});
