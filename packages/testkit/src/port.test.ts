import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePort } from './port.ts';
import { startProcess } from './process.ts';

test('ports requested at once are distinct and usable', async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, () => freePort()));
  expect(new Set(ports).size).toBe(20);
  for (const port of ports) {
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    server.close();
  }
});

test('two processes never get the same port, even before they listen on it', async () => {
  const script = `import { freePort } from ${JSON.stringify(new URL('./port.ts', import.meta.url).href)};
    for (let i = 0; i < 120; i++) console.log('port ' + (await freePort()));
    console.log('all'); setInterval(() => {}, 1000);`;
  await using item = startProcess([process.execPath, '--input-type=module', '--eval', script]);
  await using other = startProcess([process.execPath, '--input-type=module', '--eval', script]);
  await Promise.all([item.waitForLine('all'), other.waitForLine('all')]);
  const ports = [item, other].flatMap(({ stdout }) => stdout.match(/^port \d+$/gm) ?? []);
  expect(ports).toHaveLength(240);
  expect(new Set(ports).size).toBe(240);
});
