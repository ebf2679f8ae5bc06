import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { startDocker } from './docker.ts';
import { askDocker, readDocker } from './docker-request.ts';
import { busyboxImage } from './images.ts';
import { startProcess } from './process.ts';
import { until } from './until.ts';

const bridges = () => readdirSync('/sys/class/net').filter((name) => /^(hortus\d|br-)/.test(name));

test('a test engine runs containers and is removed completely afterwards, with its networks', {
  timeout: 180_000,
}, async () => {
  const docker = await startDocker();
  const { socketPath } = docker;
  await busyboxImage(socketPath, 'tiny:1', {
    cmd: ['sh', '-c', 'echo "$GREETING"'],
    env: { GREETING: 'it is "here"' },
  });
  const made = await askDocker(socketPath, 'POST', '/networks/create', { Name: 'one' });
  const bridge = `br-${JSON.parse(made.text).Id.slice(0, 12)}`;
  expect(bridges()).toContain(bridge);
  const { text } = await askDocker(socketPath, 'POST', '/containers/create', {
    Image: 'tiny:1',
    HostConfig: { NetworkMode: 'one' },
  });
  const { Id } = JSON.parse(text);
  await askDocker(socketPath, 'POST', `/containers/${Id}/start`);
  expect((await askDocker(socketPath, 'POST', `/containers/${Id}/wait`)).text).toContain('"StatusCode":0');
  expect((await askDocker(socketPath, 'GET', `/containers/${Id}/logs?stdout=true`)).text).toContain('it is "here"');
  await docker.stop();
  expect(existsSync(dirname(socketPath))).toBe(false);
  expect(bridges()).not.toContain(bridge);
});

test('a killed engine leaves no bridge or interface behind', { timeout: 180_000 }, async () => {
  const docker = await startDocker();
  const { socketPath } = docker;
  await busyboxImage(socketPath, 'tiny:1', { cmd: ['sleep', '100000'] });
  const made = await askDocker(socketPath, 'POST', '/networks/create', { Name: 'one' });
  const bridge = `br-${JSON.parse(made.text).Id.slice(0, 12)}`;
  const { text } = await askDocker(socketPath, 'POST', '/containers/create', {
    Image: 'tiny:1',
    HostConfig: { NetworkMode: 'one' },
  });
  await askDocker(socketPath, 'POST', `/containers/${JSON.parse(text).Id}/start`);
  const attached = readdirSync(`/sys/class/net/${bridge}/brif`);
  expect(attached).toHaveLength(1);
  process.kill(Number(readFileSync(docker.pidFile, 'utf8')), 'SIGKILL');
  await docker.stop();
  const left = readdirSync('/sys/class/net');
  for (const name of [bridge, ...attached]) expect(left).not.toContain(name);
});

test('a test engine ends with its parent process, even if that is killed', { timeout: 180_000 }, async () => {
  const script = `import { startDocker } from ${JSON.stringify(new URL('./docker.ts', import.meta.url).href)};
    console.log((await startDocker()).socketPath); setInterval(() => {}, 1000);`;
  await using owner = startProcess([process.execPath, '--input-type=module', '--eval', script]);
  const socketPath = await owner.waitForLine(/docker\.sock$/);
  expect(await readDocker(socketPath, '/containers/json')).toEqual([]);
  await owner.kill();
  await until(() => !existsSync(dirname(socketPath)), { describe: 'the engine to be gone' });
});
