import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { askDocker } from '@hortus/cli/doctor/docker-engine';
import { freeSubnet } from '@hortus/testkit/free-subnet';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { describe, expect, it } from 'vitest';
import { startAlone } from './engine-machine.ts';
import { type EngineMachine, offerEngine } from './engine-offer.ts';

/** A machine whose packages and engine are only noted. */
function machineWith(facts: Partial<EngineMachine> & { agrees?: boolean } = {}) {
  const { agrees, ...more } = facts;
  const did: string[] = [];
  const said: string[] = [];
  const machine: EngineMachine = {
    isRoot: true,
    isDebian: true,
    user: 'mira',
    startCommand: 'systemctl start docker',
    missing: () => ['docker.io', 'caddy', 'busybox-static'],
    ask:
      agrees === undefined
        ? undefined
        : async (question) => {
            did.push(question);
            return agrees;
          },
    install: async (packages) => void did.push(`install ${packages.join(' ')}`),
    start: async () => {
      did.push('start');
      return 'Docker was started.';
    },
    say: (line) => void said.push(line),
    ...more,
  };
  const offer = (wish: 'ask' | 'yes' | 'no' = 'ask') => offerEngine(machine, { trouble: 'no socket', wish });
  return { offer, did, words: () => said.join('\n') };
}

const question =
  "Applications need a container engine. Install docker.io, caddy and busybox-static from Debian's packages and start Docker?";
const command = 'apt-get update && apt-get install -y --no-install-recommends docker.io caddy busybox-static';

describe('a Debian machine without a container engine', () => {
  it('is asked about as root at a terminal, and gets one if the person agrees', async () => {
    const { offer, did, words } = machineWith({ agrees: true });
    expect(await offer()).toBe(true);
    expect(did).toEqual([question, 'install docker.io caddy busybox-static', 'start']);
    expect(words()).toContain('Docker was started.');
  });

  it('stays as it is if the person declines', async () => {
    const { offer, did, words } = machineWith({ agrees: false });
    expect(await offer()).toBe(false);
    expect(did).toEqual([question]);
    expect(words()).toContain('This machine is not a server.');
  });

  it('gets one without a terminal only if the setting says so', async () => {
    const silent = machineWith();
    expect(await silent.offer()).toBe(false);
    expect(silent.did).toEqual([]);
    expect(silent.words()).toContain('HORTUS_INSTALL_ENGINE=yes');
    expect(silent.words()).toContain(`\n  ${command}`);
    const ordered = machineWith();
    expect(await ordered.offer('yes')).toBe(true);
    expect(ordered.did).toEqual(['install docker.io caddy busybox-static', 'start']);
  });

  it('is not asked about where the setting forbids it', async () => {
    const { offer, did, words } = machineWith({ agrees: true });
    expect(await offer('no')).toBe(false);
    expect(did).toEqual([]);
    expect(words()).toContain('no Docker engine answers (no socket). Start one, then npm start again.');
  });

  it('prints the exact command for a person who is not root, whatever the setting', async () => {
    const { offer, did, words } = machineWith({ isRoot: false, agrees: true });
    expect(await offer('yes')).toBe(false);
    expect(did).toEqual([]);
    expect(words()).toContain(`\n  ${command} && usermod -aG docker mira`);
  });
});

describe('an engine that is installed, but does not run', () => {
  it('is started without an installation', async () => {
    const { offer, did } = machineWith({ missing: () => ['busybox-static'], agrees: true });
    expect(await offer()).toBe(true);
    expect(did).toEqual(['Docker is installed, but does not run. Start it?', 'start']);
  });

  it('is named with its command to a person who is not root', async () => {
    const { offer, words } = machineWith({ missing: () => [], isRoot: false });
    expect(await offer()).toBe(false);
    expect(words()).toContain('Start it as root, then npm start again:\n  systemctl start docker');
  });
});

it('elsewhere nothing is offered', async () => {
  const { offer, did, words } = machineWith({ isDebian: false, agrees: true });
  expect(await offer('yes')).toBe(false);
  expect(did).toEqual([]);
  expect(words()).toContain('Start one, then npm start again.');
});

if (process.getuid?.() === 0)
  describe('without systemd', () => {
    /** An engine beside that of the machine, without a network of its own. */
    const argsFor = (folder: string) => [
      ...['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec'), '--pidfile', join(folder, 'pid')],
      ...['--host', `unix://${folder}/docker.sock`, '--bridge', 'none', '--iptables=false', '--ip6tables=false'],
      ...['--default-address-pool', `base=${freeSubnet()}.0.0/16,size=24`, '--shutdown-timeout', '2'],
    ];
    const pidOf = (folder: string) => Number(readFileSync(join(folder, 'pid'), 'utf8'));

    it('Docker runs as a process of its own, without the settings of the service', async () => {
      await using folder = temporaryFolder('engine');
      const env = { ...process.env, DOCKER_HOST: `unix://${folder.path}/docker.sock`, HORTUS_MASTER_KEY: 'secret' };
      const isUp = async () => (await askDocker(env)).version !== undefined;
      const options = { isUp, env, signal: new AbortController().signal, args: argsFor(folder.path) };
      const words = await startAlone({ ...options, log: join(folder.path, 'log') });
      const pid = pidOf(folder.path);
      try {
        expect(words).toContain(`as process ${pid}`);
        expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('HORTUS');
        // Its own session: neither Ctrl-C nor the end of the terminal reaches it.
        expect(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[3]).toBe(String(pid));
      } finally {
        process.kill(pid, 'SIGTERM');
        await until(async () => !(await isUp()), { describe: 'the end of the engine', within: 60_000 });
      }
    });

    it('an engine that ends at once is reported with its log', async () => {
      await using folder = temporaryFolder('engine');
      const log = join(folder.path, 'log');
      const options = { isUp: async () => false, env: process.env, signal: new AbortController().signal, log };
      await expect(startAlone({ ...options, args: ['--no-such-option'] })).rejects.toThrow(
        `Docker did not start: it ended with 1; ${log} says why.`,
      );
    });
  });
