import { spawn } from 'node:child_process';
import { startDocker } from '@hortus/testkit/docker';
import { startPostgres } from '@hortus/testkit/postgres';
import { startProcess } from '@hortus/testkit/process';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { test } from 'vitest';

test('a test that starts all kinds of processes and then never yields', async () => {
  await using child = startProcess(['sleep', '1000']);
  // Like Caddy, which outlives its daemon: a session, a parent and an environment of its own.
  const { path } = temporaryFolder();
  spawn('setsid', ['--fork', 'sleep', '1000'], { cwd: path, env: { PATH: process.env.PATH }, stdio: 'ignore' });
  const ignoring = `process.on('SIGTERM', () => {}); process.on('SIGINT', () => {}); setInterval(() => {}, 1000)`;
  spawn(process.execPath, ['--eval', ignoring], { detached: true, stdio: 'ignore' });
  await using postgres = await startPostgres();
  await using docker = await startDocker();
  // Not by console.log, which Vitest collects.
  process.stderr.write(`unending: ${child.pid} ${postgres.url} ${docker.socketPath}\n`);
  for (;;);
});
