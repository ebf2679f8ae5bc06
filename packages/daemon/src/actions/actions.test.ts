import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ManifestAction, ManifestComponent } from '@hortus/contract/template/manifest';
import { openLog } from '@hortus/logging/log';
import { daemonMain } from '@hortus/testkit/programs';
import { type TemporaryFolder, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BackupActions } from '../backup/backup-actions.ts';
import { FolderStore } from '../backup/folder-store.ts';
import { Turns } from '../concurrency/turns.ts';
import type { ActionOutcome, ActionRequest } from '../journal/action.ts';
import { type Journal, openJournal } from '../journal/journal.ts';
import { component, manifest } from '../plan/testing/manifests.ts';
import { image, TestServer } from '../rollout/testing/server.ts';
import { action, request } from '../testing/actions.ts';
import { Signer } from '../testing/signing.ts';
import { builtInHandlers } from '../wiring/built-in-handlers.ts';
import { Actions } from './actions.ts';
import { Shims } from './shims.ts';

let server: TestServer;
let folder: TemporaryFolder;
let journal: Journal;
let actions: Actions;
let started: string[];
const command = [process.execPath, daemonMain, 'exec-shim'];

beforeAll(async () => {
  server = await TestServer.open();
});
afterAll(() => server.close());
beforeEach(() => {
  folder = temporaryFolder('actions');
  open();
});
afterEach(async () => {
  await actions.stop();
  journal.close();
  await folder.remove();
});

function open(shimCommand: readonly string[] = command, engine = server.engine) {
  journal = openJournal(folder.path);
  started = [];
  const { ingress } = server;
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
  const turns = new Turns();
  const serverId = () => server.id;
  actions = new Actions({
    journal,
    builtIns: builtInHandlers({ engine, journal, turns, serverId, backups }),
    engine,
    shims: new Shims({ command: shimCommand, socket: server.socketPath }),
    turns,
    log: openLog({ level: 'error' }),
    abandon: async () => {},
    unroute: async () => {},
    outputLimit: 10_000,
    onStarted: ({ execution_id }) => started.push(execution_id),
    onUnkept: () => undefined,
    onFinished: () => undefined,
  });
  actions.recover();
}

/** Deploys a sleeping instance with these actions. */
async function deploy(...args: ManifestAction[]): Promise<string> {
  return deployWith({}, args);
}

async function deployWith(overrides: Partial<ManifestComponent>, of: ManifestAction[] = [], uid = server.newUid()) {
  const components = [component('main', { image, command: ['sleep', '100000'], init: true, ...overrides })];
  const more = { actions: of, instance: { uid, name: uid, server_id: server.id } };
  const result = await server.deploy(uid, components, { manifest: more });
  expect(result.status).toBe('success');
  journal.manifests.keep(new Signer().sign(manifest(uid, components, more)));
  return uid;
}

async function outcome({ execution_id }: ActionRequest): Promise<ActionOutcome> {
  return await until(() => journal.executions.find(execution_id)?.outcome, { describe: 'the outcome' });
}

async function run(uid: string, slug: string, argv: string[], params = {}): Promise<ActionOutcome> {
  const asked = request(slug, argv, params, uid);
  actions.handle(asked);
  return await outcome(asked);
}

const inside = async (uid: string, ...argv: string[]) => {
  const exec = await server.engine.exec(uid, { argv });
  let text = '';
  for await (const { chunk } of exec.output) text += chunk;
  return text;
};

describe('an exec action', () => {
  it('returns exit code and output, and leaves no files behind', async () => {
    const argv = ['sh', '-c', 'echo out; echo err >&2; echo $COLOUR'];
    const uid = await deploy(action('say', argv, { env: { COLOUR: 'green' } }), action('fail', ['sh', '-c', 'exit 7']));
    expect(await run(uid, 'say', argv)).toEqual({
      status: 'completed',
      exit_code: 0,
      // The order between the two streams is undefined.
      output: expect.stringMatching(/^(err\n)?out\n(err\n)?green\n(err\n)?$/),
      output_truncated: false,
      outcome: 'known',
    });
    expect(await run(uid, 'fail', ['sh', '-c', 'exit 7'])).toMatchObject({
      status: 'failed',
      exit_code: 7,
      outcome: 'known',
    });
    await until(() => readdirSync(`${folder.path}/exec`).length === 0, { describe: 'an empty folder' });
  });

  it('passes shell metacharacters unchanged as one argument', async () => {
    const uid = await deploy(action('echo', ['echo', '${params.text}'], { params: [{ name: 'text', type: 'text' }] }));
    const text = `$(id) \`id\`; "' \\ | > x && * ~ \n#`;
    expect((await run(uid, 'echo', ['echo', text], { text })).output).toBe(`${text}\n`);
  });

  it('is refused if it differs from the manifest', async () => {
    const uid = await deploy(action('echo', ['echo', 'hello']));
    expect(await run(uid, 'echo', ['sh', '-c', 'id'])).toMatchObject({ status: 'failed', exit_code: null });
    expect(await run(uid, 'other', ['echo', 'hello'])).toMatchObject({ status: 'failed', exit_code: null });
    expect(started).toEqual([]);
  });

  it('with a command that does not exist fails with the message of the engine', async () => {
    const uid = await deploy(action('none', ['no-such-command']));
    const { status, error, output } = await run(uid, 'none', ['no-such-command']);
    expect({ status, said: `${error} ${output}` }).toMatchObject({
      status: 'failed',
      said: expect.stringContaining('no-such-command'),
    });
  });

  it('runs once, however often it is requested', async () => {
    const argv = ['sh', '-c', 'echo ran >> /tmp/ran; sleep 0.3'];
    const uid = await deploy(action('note', argv));
    const asked = request('note', argv, {}, uid);
    actions.handle(asked);
    actions.handle(asked);
    await until(() => started.length > 0, { describe: 'the start' });
    actions.handle(asked);
    await outcome(asked);
    actions.handle(asked);
    expect(await inside(uid, 'cat', '/tmp/ran')).toBe('ran\n');
  });

  it('is killed inside the container at its timeout, with its child processes', async () => {
    const argv = ['sh', '-c', 'sh -c "trap : TERM; while true; do sleep 0.1; done" & echo begun; sleep 1000'];
    const uid = await deploy(action('hang', argv, { timeout_ms: 3_000 }));
    expect(await run(uid, 'hang', argv)).toMatchObject({
      status: 'failed',
      outcome: 'timeout',
      output: expect.stringMatching(/^begun\n/),
    });
    await until(async () => !/sleep (1000|0\.1)\b/.test(await inside(uid, 'ps')), { describe: 'no process left' });
  });

  it('that is cancelled is killed', async () => {
    const uid = await deploy(action('hang', ['sleep', '1000']));
    const asked = request('hang', ['sleep', '1000'], {}, uid);
    actions.handle(asked);
    await until(async () => (await inside(uid, 'ps')).includes('sleep 1000\n'), { describe: 'the process' });
    actions.cancel(asked.execution_id);
    expect(await outcome(asked)).toMatchObject({ status: 'failed', outcome: 'cancelled' });
    await until(async () => !(await inside(uid, 'ps')).includes('sleep 1000\n'), { describe: 'no process left' });
  });

  it('that is cancelled before its start never starts', async () => {
    const uid = await deploy(action('hang', ['sleep', '1000']));
    const asked = request('hang', ['sleep', '1000'], {}, uid);
    actions.handle(asked);
    actions.cancel(asked.execution_id);
    expect(await outcome(asked)).toMatchObject({ status: 'failed', outcome: 'cancelled' });
    expect(started).toEqual([]);
  });

  it('with too much output is truncated in the middle and marked', async () => {
    const argv = ['sh', '-c', 'echo first; seq 1 100000; echo last'];
    const uid = await deploy(action('talk', argv));
    const { output, output_truncated } = await run(uid, 'talk', argv);
    expect(output_truncated).toBe(true);
    expect(output).toMatch(/^first\n1\n.*bytes omitted.*\nlast\n$/s);
    expect(output.length).toBeLessThan(10_200);
  });

  it('whose shim is lost has an unknown outcome and is not repeated', async () => {
    const argv = ['sh', '-c', 'echo ran >> /tmp/ran; sleep 1000'];
    const uid = await deploy(action('note', argv));
    const asked = request('note', argv, {}, uid);
    actions.handle(asked);
    await until(async () => (await inside(uid, 'cat', '/tmp/ran')) === 'ran\n', { describe: 'the command' });
    const runner = journal.executions.find(asked.execution_id)?.runner;
    if (runner?.kind !== 'shim') throw new Error('no shim');
    process.kill(runner.process.pid, 'SIGKILL');
    expect(await outcome(asked)).toMatchObject({ status: 'failed', outcome: 'unknown' });
    actions.handle(asked);
    expect(await inside(uid, 'cat', '/tmp/ran')).toBe('ran\n');
  });

  it('whose shim cannot be started fails, and was not run', async () => {
    journal.close();
    open([process.execPath, '--eval', 'process.exit(1)']);
    const uid = await deploy(action('echo', ['echo', 'hello']));
    expect(await run(uid, 'echo', ['echo', 'hello'])).toMatchObject({ status: 'failed', outcome: 'known' });
  });

  it('continues when the daemon stops, and its result is recorded after the restart', async () => {
    const argv = ['sh', '-c', 'echo ran >> /tmp/ran; while ! test -e /tmp/go; do sleep 0.05; done; echo late; exit 3'];
    const uid = await deploy(action('wait', argv));
    const asked = request('wait', argv, {}, uid);
    actions.handle(asked);
    await until(async () => (await inside(uid, 'cat', '/tmp/ran')) === 'ran\n', { describe: 'the command' });
    await actions.stop();
    journal.close();
    open();
    await inside(uid, 'touch', '/tmp/go');
    expect(await outcome(asked)).toMatchObject({ status: 'failed', exit_code: 3, output: 'late\n', outcome: 'known' });
    expect(await inside(uid, 'cat', '/tmp/ran')).toBe('ran\n');
  });

  it('parallel ones get their own results', async () => {
    const uid = await deploy(action('echo', ['echo', '${params.n}'], { params: [{ name: 'n', type: 'string' }] }));
    const asked = Array.from({ length: 5 }, (_, n) => request('echo', ['echo', `${n}`], { n: `${n}` }, uid));
    for (const request of asked) actions.handle(request);
    const outputs = await Promise.all(asked.map(async (request) => (await outcome(request)).output));
    expect(outputs).toEqual(['0\n', '1\n', '2\n', '3\n', '4\n']);
  });
});

describe('a job action', () => {
  it('runs in a separate container that is removed afterwards', async () => {
    const argv = ['sh', '-c', 'hostname; echo done; exit 4'];
    const uid = await deploy(action('job', argv, { type: 'job' }));
    const asked = request('job', argv, {}, uid);
    asked.action.type = 'job';
    actions.handle(asked);
    const { output, exit_code } = await outcome(asked);
    expect({ output, exit_code }).toEqual({ output: expect.stringMatching(/\ndone\n$/), exit_code: 4 });
    const left = { labels: { 'hortus.execution': asked.execution_id } };
    await until(async () => (await server.engine.containers(left)).length === 0, { describe: 'no container left' });
  });

  it('that is cancelled while its container is created is killed as soon as it exists', async () => {
    const uid = await deploy(action('job', ['sleep', '1000'], { type: 'job' }));
    const asked = request('job', ['sleep', '1000'], {}, uid);
    asked.action.type = 'job';
    const [asksFor, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await actions.stop();
    journal.close();
    open(command, {
      ...server.engine,
      create: async (spec) => {
        asksFor.resolve();
        await goesOn.promise;
        return await server.engine.create(spec);
      },
    });
    actions.handle(asked);
    await asksFor.promise;
    actions.cancel(asked.execution_id);
    goesOn.resolve();
    expect(await outcome(asked)).toMatchObject({
      status: 'failed',
      outcome: 'cancelled',
      error: 'The action was cancelled.',
    });
    const left = { labels: { 'hortus.execution': asked.execution_id } };
    await until(async () => (await server.engine.containers(left)).length === 0, { describe: 'no container left' });
  });
});

describe('a built-in action', () => {
  const builtIn = async (uid: string, slug: string, params = {}) => {
    const asked = request(slug, [], params, uid);
    asked.action.type = 'builtin';
    actions.handle(asked);
    return await outcome(asked);
  };
  const state = async (uid: string) => (await server.engine.inspect(uid))?.state;

  it('stops, starts and restarts the instance, and may be repeated', async () => {
    const uid = await deploy();
    for (const [slug, expected] of [
      ['hortus.stop', 'exited'],
      ['hortus.stop', 'exited'],
      ['hortus.start', 'running'],
      ['hortus.start', 'running'],
      ['hortus.restart', 'running'],
    ] as const) {
      expect(await builtIn(uid, slug)).toMatchObject({ status: 'completed' });
      expect(await state(uid)).toBe(expected);
    }
  });

  it('releases the instance and is idempotent', async () => {
    const uid = await deploy();
    expect(await builtIn(uid, 'hortus.release')).toMatchObject({ status: 'completed' });
    expect(await state(uid)).toBeUndefined();
    expect(journal.manifests.of(uid)).toBeUndefined();
    expect(await builtIn(uid, 'hortus.release')).toMatchObject({ status: 'completed' });
  });

  it('releases volumes only when asked, and critical ones only by name', async () => {
    const uid = server.newUid();
    const volume = `${uid}_data`;
    const storage = [{ name: 'data', volume, mount_path: '/data', read_only: false, critical: true }];
    await deployWith({ storage }, [], uid);
    const volumes = async () => (await server.engine.volumes({ labels: { 'hortus.instance': uid } })).length;
    expect(await builtIn(uid, 'hortus.release', { remove_volumes: true })).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('data'),
    });
    expect(await state(uid)).toBe('running');
    expect(await builtIn(uid, 'hortus.release')).toMatchObject({ status: 'completed' });
    expect(await volumes()).toBe(1);
    await deployWith({ storage }, [], uid);
    const named = { remove_volumes: true, confirm: ['data'] };
    expect(await builtIn(uid, 'hortus.release', named)).toMatchObject({ status: 'completed' });
    expect(await volumes()).toBe(0);
  });

  it('runs the smoke test of the template and reports its results', async () => {
    const uid = await deploy();
    const main = component('main', { image });
    const testedBy = (...command: string[]) => {
      const smoke = [{ exec: { component: 'main', command: ['true'] } }, { exec: { component: 'main', command } }];
      const instance = { uid, name: uid, server_id: server.id };
      journal.manifests.keep(new Signer().sign(manifest(uid, [main], { instance, smoke })));
    };
    testedBy('sh', '-c', 'exit 0');
    expect(await builtIn(uid, 'hortus.smoke')).toMatchObject({
      status: 'completed',
      output: expect.stringMatching(/^passed {2}true in main: exit code 0 .*\npassed {2}sh -c exit 0 in main/),
    });
    await builtIn(uid, 'hortus.stop');
    testedBy('sh', '-c', 'exit 4');
    expect(await builtIn(uid, 'hortus.smoke')).toMatchObject({
      status: 'failed',
      exit_code: 1,
      error: 'true in main: expected exit code 0, saw no running container of main.',
    });
  });

  describe('on a busy engine', () => {
    /** Pending calls of releases, by instance. */
    const responses = new Map<string, () => void>();
    const release = (uid: string) => {
      const asked = request('hortus.release', [], {}, uid);
      asked.action.type = 'builtin';
      actions.handle(asked);
      return asked;
    };
    const respond = (uid: string) => {
      responses.get(uid)?.();
      responses.delete(uid);
    };

    beforeEach(async () => {
      await actions.stop();
      journal.close();
      responses.clear();
      open(command, {
        ...server.engine,
        inspect: async () => undefined,
        containers: async () => [],
        networks: async ({ labels }) => {
          await new Promise<void>((resolve) => responses.set(String(labels['hortus.instance']), resolve));
          return [];
        },
      });
    });

    it('runs with at most seven others; the rest wait in order and can be cancelled', async () => {
      const uids = Array.from({ length: 12 }, (_, index) => `busy-${index}`);
      const asked = uids.map(release);
      const cancelled = asked[9] as ActionRequest;
      await until(() => responses.size === 8, { describe: 'eight calls' });
      actions.cancel(cancelled.execution_id);
      for (const [index, uid] of uids.entries()) {
        if (asked[index] === cancelled) continue;
        await until(() => responses.has(uid), { describe: `the call for ${uid}` });
        expect(responses.size).toBeLessThanOrEqual(8);
        respond(uid);
        expect(await outcome(asked[index] as ActionRequest)).toMatchObject({ status: 'completed' });
      }
      expect(await outcome(cancelled)).toMatchObject({ status: 'failed', outcome: 'cancelled' });
      const others = asked.filter((request) => request !== cancelled);
      expect(started).toEqual(others.map(({ execution_id }) => execution_id));
    });

    it('does not wait for actions that wait for another instance', async () => {
      const same = Array.from({ length: 10 }, () => release('busy'));
      await until(() => responses.has('busy'), { describe: 'the first call' });
      const other = release('idle');
      await until(() => responses.has('idle'), { describe: 'the call for the other instance' });
      respond('idle');
      expect(await outcome(other)).toMatchObject({ status: 'completed' });
      for (const request of same) {
        await until(() => responses.has('busy'), { describe: 'the next call' });
        respond('busy');
        expect(await outcome(request)).toMatchObject({ status: 'completed' });
      }
    });
  });

  it('that is unknown fails', async () => {
    expect(await builtIn(await deploy(), 'hortus.explode')).toMatchObject({ status: 'failed' });
  });
});
