import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { action, request } from '../testing/actions.ts';
import { DaemonProcess, sleeper } from '../testing/daemon-process.ts';
import { LogStore } from './log-store.ts';
import { CONTAINER_RATE } from './output-budget.ts';
import type { StoredLine } from './stored-line.ts';

let daemon: DaemonProcess;
beforeAll(async () => {
  daemon = await DaemonProcess.start();
  await daemon.connected();
});
afterAll(() => daemon.close());

const folder = () => join(daemon.stateDirectory, 'logs');
const files = (uid: string, component = 'main'): string[] => {
  try {
    const ring = join(folder(), uid, component);
    return readdirSync(ring)
      .sort()
      .map((name) => join(ring, name));
  } catch {
    return [];
  }
};
const content = (uid: string, component?: string) =>
  files(uid, component)
    .map((path) => readFileSync(path, 'utf8'))
    .join('');
const written = (uid: string, text: string) =>
  until(() => content(uid).includes(text), {
    within: 120_000,
    describe: () => `${text} in the ring of ${uid}\n${daemon.process.output.slice(-4_000)}`,
  });

/** Reads all stored lines as the daemon does; nothing is torn while no line is being written. */
async function stored(uid: string): Promise<StoredLine[]> {
  const store = new LogStore({
    folder: folder(),
    limits: () => ({ maxBytes: 20 * 1024 ** 2, maxAgeMs: 7 * 86_400_000 }),
  });
  const log = await store.of(uid);
  const lines: StoredLine[] = [];
  for (let after = 0; ; after = lines.at(-1)?.position ?? 0) {
    const page = await log.read({ after, limit: 5_000 });
    lines.push(...page.lines);
    if (!page.more) break;
  }
  await store.close();
  return lines;
}

describe('the output of containers', () => {
  it('100,000 lines before an exit with 1 are all stored in order and once, although the daemon was killed midway', async () => {
    const uid = daemon.server.newUid();
    const command = ['sh', '-c', 'sleep 1; seq 1 40000; sleep 1; seq 40001 100000; exit 1'];
    const deployment = daemon.order(uid, [sleeper({ command, restart: 'no' })]);
    expect(await daemon.reportOf(deployment)).toMatchObject({ status: 'success' });
    const size = () => files(uid).reduce((sum, path) => sum + statSync(path).size, 0);
    await until(() => size() > 500_000, { within: 60_000, describe: 'half a megabyte of lines' });
    await daemon.kill();
    await until(() => size() > 4_000_000, { within: 60_000, describe: 'four megabytes of lines' });
    await daemon.kill();
    await written(uid, ',"100000",');
    const lines = await stored(uid);
    expect(lines.length).toBe(100_000);
    expect(lines.findIndex(({ text }, index) => text !== String(index + 1))).toBe(-1);
    const wrong = lines.findIndex(({ position }, index) => index > 0 && position <= (lines[index - 1]?.position ?? 0));
    expect(wrong).toBe(-1);
    for (const path of files(uid)) expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('the last words of a container that failed its deployment stay readable after it was removed', async () => {
    const uid = daemon.server.newUid();
    const command = ['sh', '-c', 'echo to stdout; echo last words >&2; exit 3'];
    const deployment = daemon.order(uid, [sleeper({ command, restart: 'no' })]);
    const { status, last_lines } = await daemon.reportOf(deployment);
    expect([status, [...(last_lines as string[])].sort()]).toEqual(['failed', ['last words', 'to stdout']]);
    await until(async () => (await daemon.server.engine.inspect(uid)) === undefined, { describe: 'the removal' });
    const lines = await stored(uid);
    expect(lines.map(({ text, stream }) => [stream, text]).sort()).toEqual([
      ['stderr', 'last words'],
      ['stdout', 'to stdout'],
    ]);
  });

  it('a secret in the output is masked before it reaches the disk, also where a long line is cut', async () => {
    const uid = daemon.server.newUid();
    const secret = 'correct-horse-battery';
    const command = [
      'sh',
      '-c',
      `echo "password ${secret} used"; i=0; while [ $i -lt 1638 ]; do printf 0123456789; i=$((i+1)); done; echo ${secret}; sleep 10000`,
    ];
    daemon.order(uid, [sleeper({ command })], {}, { hidden: [secret] });
    await written(uid, '0123456789');
    const lines = await stored(uid);
    expect(lines[0]?.text).toBe('password *** used');
    expect(lines[1]).toMatchObject({ cut: false, text: expect.stringMatching(/0123456789\*\*\*$/) });
    expect(content(uid)).not.toContain('correct-');
  });

  it('the output of a terminal and of restarted containers continues', async () => {
    const uid = daemon.server.newUid();
    const command = ['sh', '-c', 'echo begin; sleep 10000'];
    const deployment = daemon.order(uid, [sleeper({ command, tty: true })]);
    expect(await daemon.reportOf(deployment)).toMatchObject({ status: 'success' });
    await written(uid, 'begin');
    await daemon.server.engine.stop(uid, 0);
    await daemon.server.engine.start(uid);
    await until(() => content(uid).split('"begin"').length === 3, { describe: 'the second start' });
    expect((await stored(uid)).map(({ text }) => text)).toEqual(['begin', 'begin']);
  });

  it('a container that floods its output delays no action, check or log of another instance', async () => {
    const flood = daemon.server.newUid();
    // Hostile lines: they end in no newline for long, and their ends were once searched from each of their characters.
    const line = `"$(head -c 20000 /dev/zero | tr '\\0' '\\r')x"`;
    const begun = Date.now();
    const started = daemon.order(flood, [sleeper({ command: ['sh', '-c', `yes ${line}`] })]);
    expect(await daemon.reportOf(started)).toMatchObject({ status: 'success' });
    await until(() => files(flood).length > 2, { within: 60_000, describe: 'megabytes of lines' });

    const uid = daemon.server.newUid();
    const healthcheck = { test: ['true'], interval_ms: 500, timeout_ms: 5_000, start_period_ms: 0, retries: 1 };
    const command = ['sh', '-c', 'echo quiet; sleep 10000'];
    const actions = [action('hello', ['echo', 'hello'])];
    const deployment = daemon.order(uid, [sleeper({ command, healthcheck })], { actions });
    expect(await daemon.reportOf(deployment)).toMatchObject({ status: 'success' });
    await written(uid, 'quiet');
    for (let i = 0; i < 5; i++) {
      const order = request('hello', ['echo', 'hello'], {}, uid);
      daemon.service.send({ type: 'action_request', ...order });
      expect(await daemon.resultOf(order.execution_id)).toMatchObject({ type: 'action_completed', output: 'hello\n' });
    }
    expect(await daemon.server.engine.inspect(flood)).toMatchObject({ state: 'running' });

    // Counted by positions, which grow with every line of the instance.
    const lines = await stored(flood);
    const [first, last] = [lines[0]?.position ?? 0, lines.at(-1)?.position ?? 0];
    const seconds = (Date.now() - begun) / 1_000;
    const { burst, perSecond } = CONTAINER_RATE;
    expect(lines.length).toBeGreaterThan(50);
    expect((last - first + 1) * 20_001).toBeLessThan(burst + (seconds + 5) * perSecond);
    await daemon.server.engine.remove(flood, { force: true });
  });

  it('the template decides how much of the output of a component is kept', async () => {
    const uid = daemon.server.newUid();
    const command = ['sh', '-c', 'seq 1 20000; sleep 10000'];
    const max_bytes = 128 * 1024;
    // The manifest is known to the daemon as that of the instance only after the rollout.
    expect(await daemon.reportOf(daemon.order(uid, [sleeper({ logs: { max_bytes } })]))).toMatchObject({
      status: 'success',
    });
    daemon.order(uid, [sleeper({ command, logs: { max_bytes } })]);
    await written(uid, ',"20000",');
    const numbers = (await stored(uid)).map(({ text }) => Number(text));
    expect(numbers.length).toBeGreaterThan(500);
    expect(numbers).toEqual(numbers.map((_, i) => (numbers[0] ?? 0) + i));
    expect(files(uid).reduce((sum, path) => sum + statSync(path).size, 0)).toBeLessThan(max_bytes + 64 * 1024);
  });
});
