import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfig } from '../config/config.ts';
import { install } from './install.ts';
import { BINARY, ENVIRONMENT, installation, PACKAGED_UNIT, UNIT } from './installation.ts';
import { environmentFile, systemdUnit } from './unit.ts';

const folder = temporaryFolder('install');
afterAll(() => folder.remove());

const key = 'hs_live_0123456789abcdef';
const keyFile = join(folder.path, 'key.json');
writeFileSync(keyFile, JSON.stringify({ server_id: 'srv_1', api_key: key, manifest_public_key: 'MCow+/=' }));
const config = (options: Record<string, string> = {}) =>
  readConfig({ url: 'https://hortus.example.org', 'key-file': keyFile, ...options }, {});
const program = { command: ['/opt/node', '/opt/hortusd/main.ts'] };
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
const hortusd = (...args: string[]) =>
  spawnSync(process.execPath, [join(import.meta.dirname, '../main.ts'), 'install', ...args], {
    encoding: 'utf8',
    env: {},
  });

describe('hortusd install', () => {
  it('writes a unit, an environment file that only root can read, and the state directory', () => {
    const root = join(folder.path, 'machine');
    const { stdout, status } = hortusd('--url', 'https://hortus.example.org', '--key-file', keyFile, '--root', root);
    expect(status).toBe(0);
    expect(stdout).toContain('systemctl enable --now hortusd');
    expect(stdout).not.toContain(key);
    const unit = readFileSync(join(root, UNIT), 'utf8');
    expect(unit).toContain('\nKillMode=process\n');
    expect(unit).toContain(`\nEnvironmentFile=${ENVIRONMENT}\n`);
    expect(unit).not.toContain(key);
    expect(readFileSync(join(root, ENVIRONMENT), 'utf8')).toBe(
      [
        'HORTUSD_URL="https://hortus.example.org/api/v1"',
        `HORTUSD_KEY="${key}"`,
        'HORTUSD_SERVER_ID="srv_1"',
        'HORTUSD_PUBLIC_KEY="MCow+/="',
        'HORTUSD_STATE_DIR="/var/lib/hortusd"',
        '',
      ].join('\n'),
    );
    expect([ENVIRONMENT, '/var/lib/hortusd', UNIT].map((path) => mode(join(root, path)))).toEqual([
      '600',
      '700',
      '644',
    ]);
  });

  it('writes only the settings where a package has brought binary and unit', () => {
    const root = join(folder.path, 'packaged');
    mkdirSync(join(root, 'lib/systemd/system'), { recursive: true });
    writeFileSync(join(root, PACKAGED_UNIT), '');
    const { stdout, status } = hortusd('--url', 'https://hortus.example.org', '--key-file', keyFile, '--root', root);
    expect(status).toBe(0);
    expect(stdout).toContain('systemctl restart hortusd');
    expect([UNIT, BINARY, ENVIRONMENT].map((path) => existsSync(join(root, path)))).toEqual([false, false, true]);
  });

  it('prints a dry run without the key', () => {
    const root = join(folder.path, 'untouched');
    const { stdout, status } = hortusd(
      '--url',
      'https://h.example.org',
      '--key-file',
      keyFile,
      '--root',
      root,
      '--dry-run',
    );
    expect(status).toBe(0);
    expect(stdout).toContain(`${root}${UNIT}`);
    expect(stdout).toContain('KillMode=process');
    expect(stdout).not.toContain(key);
    expect(existsSync(root)).toBe(false);
  });

  it('reports missing and invalid options', () => {
    for (const [args, word] of [
      [['--key-file', keyFile], '--url'],
      [['--url', 'https://h.example.org'], '--key-file'],
      [['--url', 'https://h.example.org', '--key-file', '/dev/null'], '--key-file'],
      [['--url', 'https://h.example.org', '--key-file', keyFile, '--state-dir', 'here'], '--state-dir'],
      [['--surprise'], '--surprise'],
    ] as const) {
      const { status, stderr } = hortusd(...args);
      expect(status).toBe(2);
      expect(stderr).toContain(word);
    }
  });

  it('copies a single executable, and replaces an older one and an environment file with open permissions', () => {
    const root = join(folder.path, 'again');
    const binary = join(folder.path, 'hortusd-new');
    writeFileSync(binary, 'new');
    mkdirSync(join(root, 'usr/local/bin'), { recursive: true });
    writeFileSync(join(root, 'usr/local/bin/hortusd'), 'old');
    mkdirSync(join(root, 'etc/hortusd'), { recursive: true });
    writeFileSync(join(root, ENVIRONMENT), 'old', { mode: 0o644 });
    for (let time = 0; time < 2; time++) install({ config: config(), program: { binary }, root, dryRun: false });
    expect(readFileSync(join(root, 'usr/local/bin/hortusd'), 'utf8')).toBe('new');
    expect(mode(join(root, 'usr/local/bin/hortusd'))).toBe('755');
    expect(mode(join(root, ENVIRONMENT))).toBe('600');
    expect(readFileSync(join(root, UNIT), 'utf8')).toContain('\nExecStart=/usr/local/bin/hortusd run\n');
  });

  it('the installed daemon has every setting of the installation', () => {
    const substitutes = join(folder.path, 'substitutes.json');
    writeFileSync(substitutes, '{}');
    const overrides = readConfig(
      {
        url: 'https://hortus.example.org',
        'key-file': keyFile,
        'state-dir': '/srv/hortusd',
        'backup-dir': '/srv/backups',
        'docker-socket': '/run/other.sock',
        cluster: true,
        caddy: '/usr/bin/caddy',
        'ingress-http': '8080',
        'ingress-https': '8443',
        'ingress-image': 'registry.example.org/caddy:2.8',
        'tunnel-image': 'registry.example.org/haproxy:3.0',
        'image-substitutes': substitutes,
        'network-pool': '10.1.0.0/16',
        'drift-every': '60',
        'logs-size': '5',
        'logs-days': '3',
        'log-level': 'debug',
      },
      {},
    );
    const written = installation({ config: overrides, program }).find(({ path }) => path === ENVIRONMENT);
    const text = written?.kind === 'file' ? written.text : '';
    const variables = Object.fromEntries(
      [...text.matchAll(/^(\w+)="(.*)"$/gm)].map(([, name, value]) => [name, value]),
    );
    // Two readers of one file are equal in what they do.
    expect(readConfig({}, variables)).toEqual({ ...overrides, substitutes: expect.anything() });
  });

  it('refuses to send the key unencrypted unless the operator allows it, and stores that choice', () => {
    const root = join(folder.path, 'plaintext');
    const args = ['--url', 'http://hortus.example.org', '--key-file', keyFile, '--root', root];
    const refused = hortusd(...args);
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain('--allow-plaintext');
    expect(refused.stderr).not.toContain(key);
    expect(hortusd(...args, '--allow-plaintext').status).toBe(0);
    expect(readFileSync(join(root, ENVIRONMENT), 'utf8')).toContain('HORTUSD_ALLOW_PLAINTEXT="true"\n');
  });

  it('refuses values that would inject a line into the environment or the unit', () => {
    for (const bad of ['a\nHORTUSD_KEY="x"', 'a\u0000', 'a\r'])
      expect(() => installation({ config: config({ 'server-id': bad }), program })).toThrow('control character');
  });
});

describe('the systemd files', () => {
  it('keep a value on one line', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '"', '\\', '$', '`', "'", ' ', '#', '%') }), (value) => {
        const [, quoted = ''] = /^A="(.*)"\n$/.exec(environmentFile({ A: value })) ?? [];
        expect(quoted.replaceAll(/\\(["\\$`])/g, '$1')).toBe(value);
        expect(quoted.replaceAll(/\\./g, '')).not.toContain('"');
      }),
    );
  });

  if (existsSync('/usr/bin/systemd-analyze'))
    it('restrict the daemon to about what Docker control as root needs, as measured by systemd', () => {
      const unit = join(folder.path, 'measured.service');
      const command = ['/usr/local/bin/hortusd', 'run'];
      const options = { url: 'https://h.example.org', command, environmentFile: ENVIRONMENT };
      writeFileSync(unit, systemdUnit({ ...options, writable: ['/var/lib/hortusd'] }));
      const args = ['security', '--offline=yes', '--no-pager', unit];
      const said = execFileSync('systemd-analyze', args, { encoding: 'utf8', stdio: 'pipe' });
      const [, exposure = '10'] = /Overall exposure level for \S+: (\d+\.\d)/.exec(said) ?? [];
      expect(Number(exposure)).toBeLessThan(5);
    });

  if (existsSync('/usr/bin/systemd-analyze'))
    it('contain a unit that systemd accepts', () => {
      const binary = join(folder.path, 'a b%c');
      writeFileSync(binary, '#!/bin/sh\n', { mode: 0o755 });
      const command = [binary, 'it is "this" $HOME', 'run'];
      const unit = join(folder.path, 'hortusd.service');
      writeFileSync(
        unit,
        systemdUnit({
          url: 'https://h.example.org',
          command,
          environmentFile: '/etc/h%d.env',
          writable: ['/var/lib/hortusd', '/srv/b c'],
        }),
      );
      expect(execFileSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8', stdio: 'pipe' })).toBe(
        '',
      );
    });
});
