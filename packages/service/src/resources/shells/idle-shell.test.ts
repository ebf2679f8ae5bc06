import type { FromShell } from '@hortus/contract/protocol/shell';
import { expect, it } from 'vitest';
import { Problem } from '../../problem.ts';
import { guardWith } from '../../process/guard.ts';
import type { Receive, SocketStream } from '../../streams/socket-stream.ts';
import { IDLE_MS, RunningShell } from './running-shell.ts';

/** Records what is sent; the test calls `receive`. */
function standIn() {
  const sent: (string | Buffer)[] = [];
  const end = {
    sent,
    respondsToPings: true,
    receive: (() => {}) as Receive,
    signal: new AbortController().signal,
    listen(receive: Receive) {
      end.receive = receive;
    },
    send: (data: string | Buffer) => sent.push(data) > 0,
    drained: async () => {},
    ping: () => end.respondsToPings,
    close: () => {},
  };
  return end;
}

function running(refusal?: () => Problem | undefined, record: () => Promise<void> = async () => {}) {
  const clock = { now: 0 };
  const [user, daemon] = [standIn(), standIn()];
  const shell = new RunningShell({
    user: user as unknown as SocketStream,
    daemon: daemon as unknown as SocketStream,
    hasTerminal: true,
    recorder: { output: record, finish: async () => {} },
    recheck: async () => refusal?.(),
    entered: async () => {},
    guard: guardWith({ error: () => {} }),
    clock: () => clock.now,
  });
  const reported = (): FromShell => JSON.parse(String(user.sent.at(-1)));
  return { clock, user, daemon, shell, ended: shell.run(), eventsOf: reported };
}

it('a session ends after 30 minutes without input and output', async () => {
  const { clock, shell, ended, eventsOf: reported } = running();
  clock.now = IDLE_MS - 1;
  await shell.poll();
  clock.now = IDLE_MS;
  await shell.poll();
  expect(await ended).toEqual({ ending: 'idle', exit_code: null });
  expect(reported()).toMatchObject({
    type: 'error',
    reason: 'idle',
    message: 'The session was ended after 30 minutes without input and output.',
  });
});

it('input and output keep a session open; a resize and confirmations do not', async () => {
  const { clock, user, daemon, shell, ended } = running();
  clock.now = IDLE_MS - 1;
  await user.receive(Buffer.from('a'), true);
  clock.now = 2 * IDLE_MS - 2;
  await daemon.receive(Buffer.from('b'), true);
  await shell.poll();
  clock.now = 3 * IDLE_MS - 3;
  await user.receive(Buffer.from(JSON.stringify({ type: 'resize', cols: 1, rows: 1 })), false);
  await shell.poll();
  expect(daemon.sent.map(String)).toContain('a');
  clock.now = 3 * IDLE_MS - 2;
  await shell.poll();
  expect(await ended).toMatchObject({ ending: 'idle' });
});

it('a client that answers no ping and one that lost its permission are cut off', async () => {
  const silent = running();
  silent.user.respondsToPings = false;
  await silent.shell.poll();
  expect(await silent.ended).toMatchObject({ ending: 'disconnected' });
  const refused = running(() => new Problem('FORBIDDEN', 'This needs the permission instances:shell.'));
  await refused.shell.poll();
  expect(await refused.ended).toMatchObject({ ending: 'revoked' });
  expect(refused.eventsOf()).toMatchObject({ type: 'error', code: 'FORBIDDEN' });
});

it('a client or daemon that does not read stops the other end', async () => {
  for (const [slow, other] of [
    ['user', 'daemon'],
    ['daemon', 'user'],
  ] as const) {
    const ends = running();
    let drain: () => void = () => {};
    ends[slow].drained = () =>
      new Promise((done) => {
        drain = done;
      });
    let isHandled = false;
    const handled = Promise.resolve(ends[other].receive(Buffer.from('a'), true)).then(() => {
      isHandled = true;
    });
    await new Promise((next) => setImmediate(next));
    expect(isHandled).toBe(false);
    drain();
    await handled;
  }
});

it('output that cannot be recorded is not shown, and ends the session', async () => {
  const {
    user,
    daemon,
    ended,
    eventsOf: reported,
  } = running(undefined, async () => {
    throw new Error('the disk is full');
  });
  await daemon.receive(Buffer.from('output'), true);
  expect(await ended).toMatchObject({ ending: 'failed' });
  expect(user.sent).toHaveLength(1);
  expect(reported()).toMatchObject({ type: 'error', reason: 'unrecorded' });
});
