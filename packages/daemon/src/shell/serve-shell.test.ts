import { PassThrough } from 'node:stream';
import type { FromShell, ShellOrder } from '@hortus/contract/protocol/shell';
import { SHELL_WINDOW_BYTES } from '@hortus/contract/protocol/shell-window';
import { openLog } from '@hortus/logging/log';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import type { ContainerFacts } from '../engine/container-facts.ts';
import type { AttachedCommand, Engine, ExecOutput } from '../engine/engine.ts';
import { EngineProblem } from '../engine/engine-problem.ts';
import type { Stream } from '../streams/stream.ts';
import { serveShell } from './serve-shell.ts';

/** The service's end of a stream; records what the daemon sends. */
function standInStream() {
  const over = new AbortController();
  const sent: (string | Buffer)[] = [];
  let receive: (data: Buffer, isBinary: boolean) => void = () => {};
  const stream: Stream = {
    signal: over.signal,
    send: (data) => sent.push(data) > 0,
    drained: async () => {},
    listen: (listener) => {
      receive = listener;
    },
    close: () => over.abort(),
  };
  return {
    stream,
    sent,
    leave: () => over.abort(),
    say: (message: object | Buffer) =>
      Buffer.isBuffer(message) ? receive(message, true) : receive(Buffer.from(JSON.stringify(message)), false),
    texts: () => sent.filter((item) => typeof item === 'string').map((text) => JSON.parse(String(text)) as FromShell),
    bytes: () => sent.filter((item) => Buffer.isBuffer(item)).reduce((sum, item) => sum + item.length, 0),
  };
}

const container = (name: string, component: string, more: Partial<ContainerFacts> = {}): ContainerFacts =>
  ({
    id: name,
    name,
    state: 'running',
    createdAt: 1,
    ...more,
    labels: { 'hortus.component': component, 'hortus.replica': '1', ...more.labels },
  }) as ContainerFacts;

interface Setting {
  readonly containers?: ContainerFacts[];
  readonly shells?: readonly string[];
  readonly output?: AsyncIterable<ExecOutput>;
  readonly shell?: boolean;
  /** Whether the engine reports the command as running; then its processes are looked for in the container. */
  readonly isRunning?: () => boolean;
}

function setting({
  containers = [container('blog', 'web')],
  shells = ['/bin/sh'],
  output,
  shell = true,
  isRunning = () => false,
}: Setting) {
  const killed: (readonly string[])[] = [];
  const attached: (AttachedCommand & { id: string })[] = [];
  const input = new PassThrough({ highWaterMark: 1 });
  const sizes: object[] = [];
  let detached = 0;
  const engine = {
    containers: async () => containers,
    pathFacts: async (_: string, path: string) => {
      if (!shells.includes(path)) throw new EngineProblem({ operation: 'look', kind: 'not_found', detail: path });
      return { sizeBytes: 1, changedAt: '' };
    },
    attach: async (id: string, command: AttachedCommand) => {
      attached.push({ id, ...command });
      return {
        id: 'exec',
        input,
        output: output ?? (async function* () {})(),
        resize: async (size: object) => void sizes.push(size),
        inspect: async () => ({ running: isRunning(), exitCode: isRunning() ? undefined : 42, pid: undefined }),
        detach: () => detached++,
      };
    },
    exec: async (_: string, { argv }: { argv: readonly string[] }) => {
      killed.push(argv);
      return { output: (async function* () {})(), inspect: async () => ({ exitCode: 0 }) };
    },
  } as unknown as Engine;
  const served = standInStream();
  const opening = { instance: 'blog', requireSigned: () => {} };
  const over = serveShell({ engine, policy: { shell }, log: openLog({ level: 'silent' }) })(served.stream, opening);
  return { ...served, over, attached, killed, input, sizes, detached: () => detached };
}

const order: ShellOrder = { tty: true, cols: 80, rows: 24, term: 'xterm' };

test('the policy of the server forbids shells before anything is looked up', async () => {
  const { say, over, texts, attached } = setting({ shell: false });
  say(order);
  await over;
  expect(texts()).toEqual([expect.objectContaining({ type: 'error', code: 'FORBIDDEN', reason: 'policy' })]);
  expect(attached).toEqual([]);
});

test('bash is preferred to sh, and a container without a shell needs a command', async () => {
  for (const [shells, argv] of [
    [['/bin/bash', '/bin/sh'], ['/bin/bash']],
    [['/bin/sh'], ['/bin/sh']],
  ] as const) {
    const { say, over, attached, texts } = setting({ shells });
    say(order);
    await over;
    expect(attached).toMatchObject([{ argv, terminal: { cols: 80, rows: 24 }, env: { TERM: 'xterm' } }]);
    expect(texts()).toEqual([
      { type: 'started', component: 'web' },
      { type: 'exit', code: 42 },
    ]);
  }
  const none = setting({ shells: [] });
  none.say(order);
  await none.over;
  expect(none.texts()).toEqual([
    expect.objectContaining({ reason: 'no_shell', message: expect.stringContaining('give a command after --') }),
  ]);
  const overrides = setting({ shells: [] });
  overrides.say({ ...order, command: ['/app', '$(id)'] });
  await overrides.over;
  expect(overrides.attached).toMatchObject([{ argv: ['/app', '$(id)'] }]);
});

test('the main container is entered, or the newest first replica of the component', async () => {
  const containers = [
    container('db', 'db'),
    container('web.2', 'web', { labels: { 'hortus.replica': '2' } }),
    container('web.old', 'web'),
    container('web.new', 'web', { createdAt: 2, labels: { 'hortus.primary': 'true' } }),
    container('web.gone', 'web', { state: 'exited', labels: { 'hortus.primary': 'true' } }),
    container('web.job', 'web', { createdAt: 9, labels: { 'hortus.execution': 'exe_1', 'hortus.primary': 'true' } }),
  ];
  const entered = async (component?: string) => {
    const { say, over, attached } = setting({ containers });
    say({ ...order, ...(component && { component }) });
    await over;
    return attached[0]?.id;
  };
  expect(await entered()).toBe('web.new');
  expect(await entered('db')).toBe('db');
  expect(await entered('none')).toBeUndefined();
});

test('endless output stops after one window, and continues as it is confirmed', async () => {
  let made = 0;
  const endless = (async function* (): AsyncGenerator<ExecOutput> {
    for (; made < 10_000; made++) yield { stream: 'stdout', chunk: Buffer.alloc(50_000) };
  })();
  const { say, over, bytes, leave } = setting({ output: endless });
  say(order);
  await until(() => bytes() > SHELL_WINDOW_BYTES - 32 * 1024, { describe: 'one window' });
  const [sentBefore, madeBefore] = [bytes(), made];
  await new Promise((next) => setImmediate(next));
  expect(bytes()).toBe(sentBefore);
  expect(made).toBe(madeBefore);
  expect(sentBefore).toBeLessThanOrEqual(SHELL_WINDOW_BYTES);
  say({ type: 'ack', bytes: sentBefore });
  await until(() => bytes() > sentBefore, { describe: 'more output' });
  leave();
  await over;
});

test('input before the start is kept, input is confirmed when the command has taken it, and sizes are applied', async () => {
  let end: () => void = () => {};
  const running = new Promise<void>((done) => {
    end = done;
  });
  const silent = (async function* (): AsyncGenerator<ExecOutput> {
    await running;
    yield { stream: 'stdout', chunk: Buffer.from('the end') };
  })();
  const { say, over, texts, input, sizes } = setting({ output: silent });
  say(order);
  const typed = Buffer.alloc(SHELL_WINDOW_BYTES, 'a');
  for (let at = 0; at < typed.length; at += 32 * 1024) say(typed.subarray(at, at + 32 * 1024));
  say({ type: 'resize', cols: 10, rows: 5 });
  await until(() => texts().length > 0, { describe: 'the start' });
  const confirmed = () => texts().reduce((sum, text) => sum + (text.type === 'ack' ? text.bytes : 0), 0);
  await until(() => sizes.length > 0 && JSON.stringify(sizes.at(-1)).includes('10'), { describe: 'the size' });
  expect(confirmed()).toBeLessThan(typed.length);
  let taken = 0;
  input.on('data', (data: Buffer) => {
    taken += data.length;
  });
  await until(() => taken === typed.length && confirmed() === typed.length, { describe: 'all input' });
  end();
  await over;
  expect(texts().at(-1)).toEqual({ type: 'exit', code: 42 });
});

const never = () =>
  (async function* (): AsyncGenerator<ExecOutput> {
    await new Promise(() => {});
    yield { stream: 'stdout', chunk: Buffer.alloc(0) };
  })();

test('a window of single bytes and empty messages to a command that does not read costs no more than the window', async () => {
  const { say, texts, input, leave } = setting({ output: never() });
  say(order);
  await until(() => texts().length > 0, { describe: 'the start' });
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 200_000; i++) say(Buffer.of(97));
  for (let i = 0; i < 200_000; i++) say(Buffer.alloc(0));
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(60 * 2 ** 20);
  expect(input.writableLength).toBeLessThanOrEqual(64 * 1024);
  let taken = 0;
  input.on('data', (data: Buffer) => {
    taken += data.length;
  });
  await until(() => taken === 200_000, { describe: 'all input' });
  leave();
});

test('a service that exceeds the window of input is disconnected', async () => {
  const { say, stream } = setting({ output: never() });
  say(order);
  for (let sent = 0; sent <= SHELL_WINDOW_BYTES; sent += 32 * 1024) say(Buffer.alloc(32 * 1024));
  expect(stream.signal.aborted).toBe(true);
});

test('the end of input of a terminal, and input after the end, disconnect: the engine would detach and the command go on', async () => {
  const terminal = setting({ output: never() });
  terminal.say(order);
  terminal.say({ type: 'eof' });
  expect(terminal.stream.signal.aborted).toBe(true);
  const pipe = setting({ output: never() });
  pipe.say({ ...order, tty: false });
  pipe.say({ type: 'eof' });
  expect(pipe.stream.signal.aborted).toBe(false);
  pipe.say(Buffer.of(97));
  expect(pipe.stream.signal.aborted).toBe(true);
});

test('a command that is left running without its session is ended', async () => {
  let isRunning = true;
  const failing = (async function* (): AsyncGenerator<ExecOutput> {
    yield { stream: 'stdout', chunk: Buffer.from('some output') };
    throw new EngineProblem({ operation: 'read', kind: 'unreachable', detail: 'the connection was lost' });
  })();
  const { say, over, texts, killed, detached } = setting({ output: failing, isRunning: () => isRunning });
  say(order);
  await over;
  isRunning = false;
  expect(texts().at(-1)).toMatchObject({ type: 'error', reason: 'engine' });
  expect(detached()).toBeGreaterThan(0);
  expect(killed).toEqual([expect.arrayContaining([expect.stringMatching(/^HORTUS_SHELL=[0-9a-f]{24}$/)])]);
});

test('a malformed order opens nothing', async () => {
  for (const wrong of [
    { ...order, cols: 0 },
    { tty: true },
    { ...order, command: 'sh -c id' },
    { ...order, term: 'a\nb' },
  ]) {
    const { say, over, attached } = setting({});
    say(wrong);
    await expect(over).rejects.toThrow('malformed');
    expect(attached).toEqual([]);
  }
});
