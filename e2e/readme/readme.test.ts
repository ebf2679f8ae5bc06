import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openDockerEngine } from '@hortus/daemon/engine/docker/docker-engine';
import { expect, test } from 'vitest';
import { clientOf } from '../service-process.ts';
import { commandsOf, missingPiece } from './commands.ts';
import { makeNginxImage, openMachine, root, shownKey } from './started.ts';

const commands = commandsOf(readFileSync(join(root, 'README.md'), 'utf8'));
const separator = '=== the next block of the README ===';

test('the commands of the README do what it says, and answer what it shows', { timeout: 240_000 }, async () => {
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
  const answers = shown.split(`${separator}\n`);
  expect(answers).toHaveLength(commands.length);
  for (const [at, command] of commands.entries()) {
    if (command.answer === undefined) continue;
    const real = answers[at] ?? '';
    expect(missingPiece(command.answer, real), `missing in the answer to ${command.text}\n${real}`).toBeUndefined();
  }
  // The seven steps, the action and the command line: a block that lost its mark would be run no more.
  expect(commands.filter(({ answer }) => answer !== undefined).length).toBeGreaterThanOrEqual(10);

  const client = clientOf(base, key);
  const { data: instances } = await client.call('instances.list');
  expect(instances.map(({ name, status, health }) => ({ name, status, health })).sort(byName)).toEqual([
    { name: 'first-page', status: 'running', health: 'healthy' },
    { name: 'second-page', status: 'running', health: 'healthy' },
  ]);
  const { data: deployments } = await client.call('deployments.list');
  expect(deployments.map(({ status }) => status)).toEqual(['success', 'success']);
  const engine = openDockerEngine({ socketPath: machine.socketPath });
  for (const { container_id } of instances)
    expect(await engine.inspect(container_id ?? '')).toMatchObject({ state: 'running' });
  engine.close();
});

const byName = (one: { name: string }, other: { name: string }) => one.name.localeCompare(other.name);

/** What a person's terminal shows, except that the commands stop at the first that fails. */
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
