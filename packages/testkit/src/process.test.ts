import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { freePort } from './port.ts';
import { startProcess } from './process.ts';
import { until } from './until.ts';

const node = process.execPath;
const forever = 'setInterval(() => {}, 1000);';

test('a test process waits for a line on either stream, and captures both', async () => {
  await using child = startProcess([
    node,
    '--eval',
    `console.log('one'); console.error('listening on 42'); ${forever}`,
  ]);
  expect(await child.waitForLine(/listening on \d+/)).toBe('listening on 42');
  await child.waitForLine('one');
  expect([child.stdout, child.stderr]).toEqual(['one\n', 'listening on 42\n']);
});

test('a process that ends without the line fails at once and shows what it wrote', async () => {
  await using child = startProcess([node, '--eval', `console.error('port taken'); process.exit(3)`]);
  await expect(child.waitForLine('ready')).rejects.toThrow(/ended \(3\) without the line ready and wrote:\nport taken/);
});

test('a test process waits for one HTTP 200, despite refused connections and errors', async () => {
  const port = await freePort();
  const script = `let n = 0; setTimeout(() => require('http')
    .createServer((_, res) => { res.statusCode = ++n === 3 ? 200 : 503; res.end(); }).listen(${port}, '127.0.0.1'), 100)`;
  await using child = startProcess([node, '--eval', script]);
  await child.waitForHttp(`http://127.0.0.1:${port}/ready`);
  expect(child.running).toBe(true);
});

test('kill sends SIGKILL by default and waits for the end', async () => {
  await using child = startProcess([node, '--eval', `process.on('SIGTERM', () => {}); console.log('up'); ${forever}`]);
  await child.waitForLine('up');
  expect(await child.kill()).toEqual({ code: null, signal: 'SIGKILL' });
  expect(existsSync(`/proc/${child.pid}`)).toBe(false);
});

test('stop sends SIGTERM, and SIGKILL if that does not help', async () => {
  const polite = startProcess([
    node,
    '--eval',
    `process.on('SIGTERM', () => process.exit(0)); console.log('up'); ${forever}`,
  ]);
  const stubborn = startProcess([node, '--eval', `process.on('SIGTERM', () => {}); console.log('up'); ${forever}`]);
  await Promise.all([polite.waitForLine('up'), stubborn.waitForLine('up')]);
  expect(await polite.stop()).toEqual({ code: 0, signal: null });
  expect(await stubborn.stop({ within: 50 })).toEqual({ code: null, signal: 'SIGKILL' });
});

test('a child ends with its parent, even if that is killed', async () => {
  const script = `import { startProcess } from ${JSON.stringify(new URL('./process.ts', import.meta.url).href)};
    console.log('child ' + startProcess([process.execPath, '--eval', ${JSON.stringify(forever)}]).pid); ${forever}`;
  await using parent = startProcess([node, '--input-type=module', '--eval', script]);
  const pid = Number((await parent.waitForLine(/^child \d+/)).slice('child '.length));
  await parent.kill();
  await until(() => !isRunning(pid), { describe: `process ${pid} to end` });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
