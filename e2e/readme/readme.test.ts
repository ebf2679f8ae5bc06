import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openDockerEngine } from '@hortus/daemon/engine/docker/docker-engine';
import { expect, test } from 'vitest';
import { clientOf } from '../service-process.ts';
import { commandsOf, missingPiece } from './commands.ts';
import { makeNginxImage, openMachine, root, shownKey } from './started.ts';

const documents = ['README.md', 'docs/api-tour.md'];
const commands = documents.flatMap((file) => commandsOf(readFileSync(join(root, file), 'utf8')));
const separator = '=== the next block ===';

test('the commands of README and API tour work and print the shown responses', {
  timeout: 240_000,
}, async () => {
  await using machine = await openMachine();
  await makeNginxImage(machine.socketPath);
  const key = shownKey(await machine.start());
  await machine.online(key);

  const base = `${machine.url}/api/v1`;
  const { code, shown } = await bash(commands.map((command) => command.text).join(`\necho '${separator}'\n`), {
    HORTUS_URL: base,
    HORTUS_KEY: key,
    HOME: machine.folder.path,
  });
  expect(code, shown).toBe(0);
  const responses = shown.split(`${separator}\n`);
  expect(responses).toHaveLength(commands.length);
  for (const [at, command] of commands.entries()) {
    if (command.output === undefined) continue;
    const real = responses[at] ?? '';
    expect(missingPiece(command.output, real), `missing in the answer to ${command.text}\n${real}`).toBeUndefined();
  }
  // Expected number of blocks: a block without its mark would no longer run.
  expect(commands.filter(({ output }) => output !== undefined).length).toBeGreaterThanOrEqual(10);

  const client = clientOf(base, key);
  const { data: instances } = await client.call('instances.list');
  expect(instances.map(({ name, status, health }) => ({ name, status, health })).sort(byName)).toEqual([
    { name: 'first-page', status: 'running', health: 'healthy' },
    { name: 'hello', status: 'running', health: 'healthy' },
    { name: 'page', status: 'running', health: 'healthy' },
  ]);
  expect(instances.find(({ name }) => name === 'hello')?.url).toBe(`http://hello.localhost:${machine.ingressPort}`);
  expect(await pageOf('hello.localhost', machine.ingressPort)).toContain('The deployment works');
  expect(await pageOf('page.localhost', machine.ingressPort)).toContain('<title>Hello</title>');
  // The end of a deployment says what runs; nothing has to be waited for.
  expect(instances.map(({ components }) => components.map(({ name }) => name))).toEqual([['main'], ['main'], ['main']]);
  const { data: deployments } = await client.call('deployments.list');
  expect(deployments.map(({ status }) => status)).toEqual(['success', 'success', 'success']);
  const engine = openDockerEngine({ socketPath: machine.socketPath });
  for (const { container_id } of instances)
    expect(await engine.inspect(container_id ?? '')).toMatchObject({ state: 'running' });
  engine.close();
});

/** Reads a page like a browser on this machine: the name resolves to loopback. */
async function pageOf(host: string, port: number): Promise<string> {
  const output = await new Promise<IncomingMessage>((done, fail) => {
    request({ host: '127.0.0.1', port, headers: { host } }, done).on('error', fail).end();
  });
  expect(output.statusCode).toBe(200);
  return await text(output);
}

const byName = (item: { name: string }, other: { name: string }) => item.name.localeCompare(other.name);

/** Runs the commands in a shell that stops at the first failure, and returns their output. */
async function bash(script: string, env: Record<string, string>) {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', `exec 2>&1\n${script}`], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 300_000,
    killSignal: 'SIGKILL',
  });
  const ended = new Promise<number | null>((done, fail) => child.once('error', fail).once('close', done));
  const [shown, code] = await Promise.all([text(child.stdout), ended]);
  return { code, shown };
}
