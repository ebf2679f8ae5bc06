import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { askDocker } from './docker-request.ts';
import { busyboxImage } from './images.ts';
import { canStartPodman } from './podman.ts';
import { startProcess } from './process.ts';
import { until } from './until.ts';

/** Processes that Podman keeps for each container; their command lines contain its folder. */
const belongings = (folder: string) =>
  globSync('/proc/[0-9]*/cmdline').filter((file) => {
    try {
      return readFileSync(file, 'utf8').includes(folder);
    } catch {
      return false;
    }
  });

const killed = async () => {
  const script = `import { startPodman } from ${JSON.stringify(new URL('./podman.ts', import.meta.url).href)};
    console.log((await startPodman()).socketPath); setInterval(() => {}, 1000);`;
  await using owner = startProcess([process.execPath, '--input-type=module', '--eval', script]);
  const socketPath = await owner.waitForLine(/podman\.sock$/, { within: 400_000 });
  const folder = dirname(socketPath);
  await busyboxImage(socketPath, 'tiny:1');
  await askDocker(socketPath, 'POST', '/networks/create', { Name: 'one' });
  const body = { Image: 'tiny:1', HostConfig: { NetworkMode: 'one' } };
  const made = await askDocker(socketPath, 'POST', '/containers/create', body);
  const { Id } = JSON.parse(made.text);
  expect((await askDocker(socketPath, 'POST', `/containers/${Id}/start`)).status).toBe(204);
  // Podman keeps a monitor for minutes after an exec has ended.
  const exec = await askDocker(socketPath, 'POST', `/containers/${Id}/exec`, { Cmd: ['true'] });
  const ran = await askDocker(socketPath, 'POST', `/exec/${JSON.parse(exec.text).Id}/start`, { Detach: true });
  expect(ran.status).toBe(200);
  expect(belongings(folder).length).toBeGreaterThan(0);
  await owner.kill();
  // The keeper ends last, after the clean-up.
  const gone = () => !existsSync(folder) && belongings(folder).length === 0;
  await until(gone, { within: 60_000, describe: () => `the engine to be gone; left: ${belongings(folder)}` });
};

if (canStartPodman)
  test('a test Podman, its containers and execs end with the parent process', { timeout: 500_000 }, killed);
