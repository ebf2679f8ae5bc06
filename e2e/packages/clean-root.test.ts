import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type DebianMachine, startDebianMachine } from '@hortus/testkit/debian-machine';
import { DEBIAN_ROOT_MS, debianRoot } from '@hortus/testkit/debian-root';
import { sharedDocker } from '@hortus/testkit/docker';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildNpmPackages } from '../../scripts/release/npm-packages.ts';
import { removeContainers } from '../docker/installation.ts';
import { makeNginxImage, nginxSubstitutes, root } from '../readme/started.ts';
import { type BuiltPackages, buildPackages } from './debian-package.ts';
import { guideBlocks } from './guide-blocks.ts';

const socketPath = sharedDocker();
const folder = temporaryFolder('debian');
let packages: BuiltPackages;
let npm: { cli: string };
beforeAll(async () => {
  await debianRoot(socketPath);
  npm = await buildNpmPackages(join(folder.path, 'npm'));
  packages = await buildPackages(folder.path);
}, DEBIAN_ROOT_MS);
afterAll(() => folder.remove());

const openMachine = (systemd: boolean) =>
  startDebianMachine({
    socketPath,
    systemd,
    mounts: { '/run/docker.sock': socketPath, '/packages': packages.folder },
  });

/** Installs as apt does without a terminal. */
const quietly = 'export DEBIAN_FRONTEND=noninteractive; ';
const install = (file: string) => `${quietly}cd /packages && apt-get install --yes --no-install-recommends ./${file}`;

const section = (title: string): string =>
  readFileSync(join(root, 'docs/install.md'), 'utf8')
    .split(/^(?=## )/m)
    .find((part) => part.startsWith(`## ${title}\n`)) ?? '';

/** Commands of the guide's section about npm, with the address of this service and its key from a file. */
function npmGuide(): string {
  const block =
    /^```sh\n(npm install --global .*?)^```$/ms.exec(section('Command line and client from npm'))?.[1] ?? '';
  return block.replace('--url https://hortus.example.org', '--url http://127.0.0.1:8420 --key-file /root/key');
}

/** A second Debian with the Node and npm of this machine, which shares the network of the first. */
const openWorkplace = async (network: string, cli: string) =>
  await startDebianMachine({
    socketPath,
    network,
    mounts: {
      '/usr/local/bin/node': process.execPath,
      '/usr/local/lib/node_modules/npm': dirname(dirname(realpathSync(npmProgram))),
      [`/root/${basename(cli)}`]: cli,
    },
  });
/** The first npm of PATH outside of node_modules. */
const npmProgram =
  (process.env.PATH ?? '')
    .split(':')
    .filter((path) => !path.includes('node_modules'))
    .map((path) => join(path, 'npm'))
    .find((path) => existsSync(path)) ?? expect.fail('npm is not installed');

/**
 * Keeps the networks of the machine within the addresses of its engine. The daemon chooses addresses that its machine does not use,
 * but from within the container it cannot see those of the real one.
 */
async function ownPool(machine: DebianMachine): Promise<string> {
  const [first, second] = (await machine.must('hostname --ip-address')).split('.');
  return `--network-pool ${first}.${second}.128.0/17`;
}

const modes = (machine: DebianMachine, ...paths: string[]) => machine.must(`stat -c '%U:%G %a' ${paths.join(' ')}`);
const states = async (machine: DebianMachine) => (await machine.run('systemctl is-active hortus hortusd')).stdout;

test('package and npm client reach a healthy container by the guide; upgrade, removal and purge keep the data', {
  timeout: 600_000,
}, async () => {
  await makeNginxImage(socketPath);
  await using machine = await openMachine(true);
  const [installation = '', ...others] = guideBlocks('## Debian package');
  expect(installation.trim()).toBe('apt install ./hortus_*.deb');
  const shown = await machine.run(install(packages.current));
  expect(shown, shown.stderr).toMatchObject({ code: 0 });
  expect(await states(machine)).toBe('active\ninactive\n');

  const secret = /HORTUS_ADMIN_KEY=(\S+)/.exec(await machine.must('cat /etc/hortus/first-sign-in.env'))?.[1] ?? '';
  expect(secret).toMatch(/^hk_live_/);
  expect(await machine.must('journalctl --no-pager --unit hortus')).not.toContain(secret);
  const pool = await ownPool(machine);
  await machine.must(`echo '${JSON.stringify(nginxSubstitutes)}' > /etc/image-substitutes.json`);
  const images = '--image-substitutes /etc/image-substitutes.json';
  for (const block of others) await machine.must(block.replace('hortusd install', `hortusd install ${pool} ${images}`));
  expect(await states(machine)).toBe('active\nactive\n');
  const [server] = JSON.parse(await machine.must('hortus servers list --json')) as { id: string; name: string }[];
  if (server === undefined) expect.fail('no server');
  try {
    await until(async () => (await machine.must('hortus instances list --json')).includes('"healthy"'), {
      within: 120_000,
      describe: 'a healthy instance',
    });
    const page = () => machine.must('curl -fsS http://hello.localhost/healthz');
    expect(await page()).toBe('ok\n');
    expect(
      await modes(
        machine,
        ...['/var/lib/hortus', '/var/lib/hortus/master.key', '/var/lib/hortusd', '/etc/hortus/hortus.env'],
        ...['/etc/hortus/first-sign-in.env', '/etc/hortusd/hortusd.env'],
      ),
    ).toBe('hortus:hortus 700\nhortus:hortus 600\nroot:root 700\nroot:hortus 640\nroot:root 600\nroot:root 600\n');
    await using workplace = await openWorkplace(`container:${machine.name}`, npm.cli);
    await workplace.must('ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm');
    await workplace.must(`cd /root; umask 077; echo ${secret} > key; ${npmGuide()}`);
    const other = '--set WEB_HOSTNAME=second.localhost --wait';
    await workplace.must(`hortus deploy static-site --name second --server ${server.name} ${other}`);
    await workplace.must('curl -fsS http://second.localhost/healthz');

    const instances = async () =>
      (JSON.parse(await machine.must('hortus instances list --json')) as { id: string }[]).map(({ id }) => id).sort();
    const [before, key] = [await instances(), await machine.must('sha256sum /var/lib/hortus/master.key')];

    await machine.must('echo HORTUS_LOG_LEVEL=debug >> /etc/hortus/hortus.env');
    await machine.must(install(packages.next));
    expect(await machine.must("dpkg-query --show --showformat='${Version}' hortus")).toMatch(/\+next$/);
    expect(await states(machine)).toBe('active\nactive\n');
    expect(await machine.must('cat /etc/hortus/hortus.env')).toContain('HORTUS_LOG_LEVEL=debug');
    expect(await instances()).toEqual(before);
    expect(await page()).toBe('ok\n');

    await machine.must(`${quietly}apt-get remove --yes hortus`);
    expect(await states(machine)).toBe('inactive\ninactive\n');
    expect(await machine.must('ls /etc/hortus /usr/bin/hortus* 2>/dev/null || true')).toContain('hortus.env');

    const purged = await machine.run(`${quietly}apt-get purge --yes hortus`);
    expect(purged.stdout + purged.stderr).toContain('hortus: kept the data in /var/lib/hortus');
    expect(await machine.must('ls -d /etc/hortus /etc/hortusd /var/cache/hortus 2>/dev/null || true')).toBe('');
    expect(await machine.must('sha256sum /var/lib/hortus/master.key')).toBe(key);

    // Installed again, the same data serves with the same key.
    await machine.must(install(packages.current));
    expect(await machine.must('ls /etc/hortus')).toBe('hortus.env\n');
    expect(await machine.must('hortus instances list --json')).toContain('hello');

    await machine.must(`echo 'hortus hortus/purge-data boolean true' | debconf-set-selections`);
    const gone = await machine.run(`${quietly}apt-get purge --yes hortus`);
    expect(gone.stdout + gone.stderr).toContain('hortus: removed /var/lib/hortus and /var/lib/hortusd');
    expect(await machine.must('ls -d /var/lib/hortus* 2>/dev/null || true')).toBe('');
  } finally {
    await removeContainers(socketPath, server.id);
  }
});

test('without systemd the package installs, and its programs run', { timeout: 300_000 }, async () => {
  await using machine = await openMachine(false);
  await machine.must(install(packages.current));
  expect(await machine.must('hortus version')).toMatch(/^hortus \d+\.\d+\.\d+\n$/);
  expect(await machine.must('hortusd version')).toMatch(/^\d+\.\d+\.\d+\n$/);
  // This Debian leaves out documentation and manuals of all packages.
  expect(
    await machine.must('dpkg --verify hortus | grep --invert-match --extended-regexp "/share/(doc|man)(/|$)" || true'),
  ).toBe('');
  const completions = ['bash-completion/completions/hortus', 'zsh/vendor-completions/_hortus'];
  const fish = 'fish/vendor_completions.d/hortus.fish';
  await machine.must(`cd /usr/share && grep -q completion ${[...completions, fish].join(' ')}`);
  await machine.must(`${quietly}apt-get purge --yes hortus`);
  expect(await machine.must('ls -d /etc/hortus /usr/lib/hortus 2>/dev/null || true')).toBe('');
});

test('two builds of the package have the same bytes', { timeout: 300_000 }, async () => {
  const bytes = (path: string) => readFileSync(path);
  expect(bytes(await packages.again()).equals(bytes(join(packages.folder, packages.current)))).toBe(true);
});
