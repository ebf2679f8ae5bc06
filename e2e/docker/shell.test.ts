import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { createDatabase } from '@hortus/testkit/database';
import { startPostgres } from '@hortus/testkit/postgres';
import { hortusInScript, hortusInTerminal } from '@hortus/testkit/pseudo-terminal';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { startService } from '../service-process.ts';
import {
  createAndDeploy,
  type Installation,
  inside,
  openInstallation,
  openInstallationWithDaemon,
} from './installation.ts';

const envOf = ({ service, directory }: Installation, base = service.base) => ({
  HORTUS_URL: base,
  HORTUS_KEY: service.key,
  HOME: directory,
});

/** Runs a command as a script does. */
async function scripted(env: Record<string, string>, argv: readonly string[], input: Buffer | string = '') {
  const child = hortusInScript(argv, env);
  const code = new Promise<number | null>((done) => child.once('close', done));
  child.stdin.on('error', () => {}).end(input);
  const [out, err] = await Promise.all([buffer(child.stdout), text(child.stderr)]);
  return { code: await code, out, err };
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** 1 MB of arbitrary bytes, with the keys that detach from Docker. */
function pasted(): Buffer {
  const bytes = randomBytes(1024 * 1024);
  bytes.write('\u0010\u0011', 500_000);
  // Docker may double a byte after these two if it reads them apart.
  for (let at = bytes.indexOf('\u001e\u001f'); at !== -1; at = bytes.indexOf('\u001e\u001f', at)) bytes[at] = 0;
  return bytes;
}

test('a real terminal: full-screen program, resize, Ctrl-C, UTF-8, a paste of 1 MB, exit code, and the terminal restored', {
  timeout: 300_000,
}, async () => {
  await using installation = await openInstallationWithDaemon();
  await createAndDeploy(installation, 'website');
  const { engine, service } = installation;
  const terminal = hortusInTerminal(['shell', 'website'], envOf(installation), { rows: 33, cols: 101 });
  await terminal.shows('~ # ');
  terminal.type('busybox stty size; tty\r');
  await terminal.shows('33 101');
  await terminal.shows('/dev/pts/');
  await terminal.resize(44, 122);
  terminal.type('until busybox stty size | grep "44 122"; do sleep 0.1; done\r');
  await terminal.shows(/^44 122/m);

  terminal.type('busybox vi /tmp/poem\r');
  await terminal.shows(/(~[^~]{1,20}){20}/, 'the empty lines of vi');
  terminal.type('ia line');
  await terminal.shows('a line');
  // A key that follows the escape key at once would be another key.
  terminal.type('\u001b');
  await terminal.shows(/- \/tmp\/poem \[Modified\]/i);
  terminal.type(':wq\r');
  await until(async () => (await inside(engine, 'website', 'cat', '/tmp/poem').catch(() => '')) === 'a line\n', {
    describe: () => `the saved file; ${JSON.stringify(terminal.text().slice(-500))}`,
  });

  terminal.type('echo typing-$((2+2)); cat > /tmp/words\r');
  await terminal.shows('typing-4');
  terminal.type('grün ✓\r');
  await terminal.shows('grün ✓');
  terminal.type('\u0004');
  terminal.type('echo "back: $(cat /tmp/words) $(cat /tmp/poem)"\r');
  await terminal.shows('back: grün ✓ a line');

  // Said by the program in the foreground: before it is there, Ctrl-C would reach only the shell.
  terminal.type(`sh -c 'echo begin-$((1+1)); exec sleep 1000'\r`);
  await terminal.shows('begin-2');
  terminal.type('\u0003');
  await terminal.shows('^C');
  terminal.type('echo "code $?"\r');
  await terminal.shows('code 130');

  const paste = pasted();
  terminal.type(
    `busybox stty raw -echo; echo ready-$((1+2)); head -c ${paste.length} | busybox sha256sum; busybox stty sane; echo pasted-$((5+5))\r`,
  );
  await terminal.shows('ready-3');
  terminal.type(paste);
  await terminal.shows(sha256(paste));
  await terminal.shows('pasted-10');
  terminal.type('exit 42\r');
  expect(await terminal.code).toBe(42);
  const [before, after] = terminal.states();
  expect(before).toBeTruthy();
  expect(after).toBe(before);

  const [{ id: instanceId } = { id: '' }] = (await service.client.call('instances.list')).data;
  // The client has its exit code before the service has stored the end.
  const session = await until(
    async () => {
      const [found] = (await service.client.call('shells.list', { params: { id: instanceId } })).data;
      return found?.ended_at ? found : undefined;
    },
    { describe: 'the end of the session' },
  );
  expect(session).toMatchObject({ exit_code: 42, ending: 'exited', terminal: true });
  const env = envOf(installation);
  const played = await scripted(env, ['shell', '--replay', session.id, '--speed', '1000']);
  expect(played).toMatchObject({ code: 0, err: '' });
  expect(played.out.toString()).toContain('back: grün ✓ a line');
  const cast = (await scripted(env, ['shell', '--replay', session.id, '--json'])).out.toString().trim().split('\n');
  expect(JSON.parse(cast[0] ?? '')).toMatchObject({ version: 2, width: 101, height: 33 });
  expect(JSON.parse(cast[1] ?? '')).toEqual([expect.any(Number), 'o', expect.any(String)]);
});

test('scripts: pipes, both streams, exit codes, and what is refused', { timeout: 300_000 }, async () => {
  await using installation = await openInstallation();
  const daemon = installation.startDaemon();
  await installation.online();
  await createAndDeploy(installation, 'website');
  const env = envOf(installation);
  const bytes = randomBytes(3 * 1024 * 1024);
  const copied = await scripted(env, ['shell', 'website', '--', 'cat'], bytes);
  expect(copied).toMatchObject({ code: 0, err: '' });
  expect(sha256(copied.out)).toBe(sha256(bytes));
  const both = await scripted(env, ['shell', 'website', '--', 'sh', '-c', 'echo out; echo err >&2; exit 42']);
  expect([both.code, both.out.toString(), both.err]).toEqual([42, 'out\n', 'err\n']);
  const early = await scripted(env, ['shell', 'website', '--', 'sh', '-c', 'head -c 5; seq 20000; exit 3'], bytes);
  expect([early.code, early.err]).toEqual([3, '']);
  expect(early.out.subarray(0, 5).equals(bytes.subarray(0, 5))).toBe(true);
  expect(early.out.subarray(-6).toString()).toBe('20000\n');
  const literal = await scripted(env, ['shell', 'website', '--', 'echo', '$HOME; `id`', '--json']);
  expect(literal.out.toString()).toBe('$HOME; `id` --json\n');
  // Engines differ in the code, as shells do.
  expect([126, 127]).toContain((await scripted(env, ['shell', 'website', '--', 'no-such-program'])).code);
  expect(await scripted(env, ['shell', 'website', '--component', 'none'])).toMatchObject({
    code: 6,
    err: expect.stringContaining('component: no container of the component none is running.'),
  });
  expect((await scripted(env, ['shell', 'nothing'])).code).toBe(4);

  // The operator of the server forbids it.
  await daemon.stop();
  mkdirSync(installation.stateOf(), { recursive: true });
  writeFileSync(join(installation.stateOf(), 'policy.yaml'), 'shell: false\n');
  installation.startDaemon();
  await installation.online();
  const refused = await until(
    async () => {
      const response = await scripted(env, ['shell', 'website', '--', 'id']);
      return response.code === 3 && response;
    },
    { describe: 'the refusal' },
  );
  expect(refused.err).toContain('The policy of this server forbids shells');
});

test('a slow reader stops the command without filling memory, and a client that is gone ends it', {
  timeout: 300_000,
}, async () => {
  await using installation = await openInstallation();
  const daemon = installation.startDaemon();
  await installation.online();
  await createAndDeploy(installation, 'website');
  const { engine, service } = installation;
  const [{ id } = { id: '' }] = (await service.client.call('instances.list')).data;
  const memory = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  const pids = [daemon.pid, service.process.pid];
  const before = pids.map(memory);
  const child = hortusInScript(
    ['shell', 'website', '--', 'sh', '-c', 'while :; do seq 100000; done'],
    envOf(installation),
  );
  const recorded = async () =>
    (await service.client.call('shells.list', { params: { id } })).data[0]?.recorded_bytes ?? 0;
  let last = -1;
  await until(
    async () => {
      const now = await recorded();
      const isStill = now > 0 && now === last;
      last = now;
      return isStill;
    },
    { every: 3_000, describe: 'the output to stop' },
  );
  // The windows and the buffers of pipes and sockets on the way.
  expect(last).toBeLessThan(2 * 1024 * 1024);
  for (const [index, pid] of pids.entries()) expect(memory(pid) - (before[index] ?? 0)).toBeLessThan(100 * 1024);
  let read = 0;
  child.stdout.on('data', (data: Buffer) => {
    read += data.length;
  });
  await until(() => read > 5 * 1024 * 1024, { describe: 'the output to continue' });
  child.kill('SIGKILL');
  const running = async () => (await inside(engine, 'website', 'ps')).includes('seq 100000');
  await until(async () => !(await running()), { describe: 'the end of the command' });
  await until(async () => (await service.client.call('shells.list', { params: { id } })).data[0]?.ending, {
    describe: 'the end of the session',
  });
});

test('with two replicas on PostgreSQL, the user is on one and the daemon on the other', {
  timeout: 300_000,
}, async () => {
  const postgres = await startPostgres();
  try {
    const database = await createDatabase(postgres.url);
    const env = { HORTUS_DATABASE_URL: database.url, HORTUS_MASTER_KEY: Buffer.alloc(32, 5).toString('base64') };
    await using folder = temporaryFolder('replica');
    await using installation = await openInstallationWithDaemon({ env });
    await createAndDeploy(installation, 'website');
    const other = await startService({ directory: folder.path, key: installation.service.key, env });
    try {
      const terminal = hortusInTerminal(['shell', 'website'], envOf(installation, other.base));
      await terminal.shows('~ # ');
      terminal.type('echo there-$((40+2)); exit 7\r');
      await terminal.shows('there-42');
      expect(await terminal.code).toBe(7);
    } finally {
      await other.process.stop();
    }
  } finally {
    await postgres.stop();
  }
});
