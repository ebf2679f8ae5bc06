import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { endAbandonedProcesses } from './abandoned-processes.ts';
import { startProcess } from './process.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { until } from './until.ts';

/** Zombies are still listed in /proc and do not count. */
const runs = (pid: number) =>
  existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

test('only processes in the folder of a killed test are ended', async () => {
  const script = `import { spawn } from 'node:child_process';
    import { temporaryFolder } from ${JSON.stringify(new URL('./temporary-folder.ts', import.meta.url).href)};
    const left = spawn('sleep', ['1000'], { cwd: temporaryFolder().path, detached: true, stdio: 'ignore' });
    console.log('left ' + left.pid); setInterval(() => {}, 1000);`;
  await using owner = startProcess([process.execPath, '--input-type=module', '--eval', script]);
  await owner.waitForLine('left ');
  const left = Number(/left (\d+)/.exec(owner.stdout)?.[1]);
  await using mine = temporaryFolder();
  const own = spawn('sleep', ['1000'], { cwd: mine.path, stdio: 'ignore' });

  endAbandonedProcesses();
  expect(runs(left)).toBe(true);
  await owner.kill('SIGKILL');
  endAbandonedProcesses();
  await until(() => !runs(left), { describe: 'the leftover process to end' });
  expect(runs(own.pid ?? 0)).toBe(true);
  own.kill();
});
