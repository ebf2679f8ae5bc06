import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest, ManifestComponent } from '@hortus/contract/template/manifest';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { describe, expect, it } from 'vitest';
import { component, manifest } from '../plan/testing/manifests.ts';
import { check } from './check.ts';
import { parsePolicy, printPolicy, readPolicy, requireMinimumVersion } from './read-policy.ts';

const rules = (overrides: Partial<ManifestComponent>, policy = '', more: Partial<Manifest> = {}) =>
  check(manifest('blog', [component('main', overrides)], more), parsePolicy(policy)).map(({ rule }) => rule);
const mount = (host_path: string) => ({
  storage: [{ name: 'data', host_path, mount_path: '/data', read_only: true, critical: false }],
});
const file = (mount_path: string, mode = '0644') => ({ files: [{ mount_path, mode, content: '' }] });
const volume = (volume: string) => ({
  storage: [{ name: 'data', volume, mount_path: '/data', read_only: false, critical: false }],
});

describe('without a policy', () => {
  it('an ordinary container is allowed', () => {
    const overrides = { ...file('/etc/app/site.ini'), ...volume('blog_data') };
    expect(rules({ ...overrides, ports: [{ container_port: 80, host_port: 8080, protocol: 'tcp' }] })).toEqual([]);
  });

  it.each<[string, Partial<ManifestComponent>, string]>([
    ['privileged', { privileged: true }, 'privileged'],
    ['host pid', { pid: 'host' }, 'host_pid'],
    ['host ipc', { ipc: 'host' }, 'host_ipc'],
    ['host network', { network: 'host' }, 'host_network'],
    ['docker socket', mount('/var/run/docker.sock'), 'docker_socket'],
    ['docker socket through its directory', mount('/run'), 'docker_socket'],
    ['docker socket through a detour', mount('/tmp/../var/run'), 'docker_socket'],
    ['mounting /', mount('/'), 'host_root'],
    ['mounting / through a detour', mount('/srv/..'), 'host_root'],
    ['a host path', mount('/etc'), 'host_paths'],
    [
      'seccomp unconfined',
      { confinement: { seccomp: 'unconfined', apparmor: 'default', no_new_privileges: false } },
      'unconfined',
    ],
    [
      'apparmor unconfined',
      { confinement: { seccomp: 'default', apparmor: 'unconfined', no_new_privileges: false } },
      'unconfined',
    ],
    ['SYS_ADMIN', { capabilities: { add: ['SYS_ADMIN'], drop: [] } }, 'capabilities'],
    ['SYS_MODULE', { capabilities: { add: ['SYS_MODULE'], drop: [] } }, 'capabilities'],
    ['SYS_PTRACE', { capabilities: { add: ['SYS_PTRACE'], drop: [] } }, 'capabilities'],
    ['ALL capabilities', { capabilities: { add: ['ALL'], drop: [] } }, 'capabilities'],
    ['a device', { devices: [{ path: '/dev/sda', container_path: '/dev/sda', access: 'rwm' }] }, 'devices'],
    ['a gpu', { gpu: { count: 'all' } }, 'gpu'],
    ['a kernel setting', { sysctls: { 'kernel.shmmax': '1' } }, 'sysctls'],
    ['a port below 1024', { ports: [{ container_port: 22, host_port: 22, protocol: 'tcp' }] }, 'host_ports'],
  ])('%s is refused', (_, overrides, rule) => {
    expect(rules(overrides)).toContain(rule);
  });
});

describe('whatever the policy says', () => {
  const everything = 'host_paths: [/]\nprivileged: true\nhost_root: true\ndocker_socket: true\n';

  it.each(['../etc/passwd', '/etc/../../shadow', '/a/./b', '/', 'relative', '/a\0b', '/a//b'])(
    'path traversal in the path of a file: %j is refused',
    (path) => expect(rules(file(path), everything)).toContain('form'),
  );

  it.each(['../x', 'a/b', '..', 'A', '', 'a b', 'a\n'])('a component named %j is refused', (name) => {
    const refusals = check(manifest('blog', [component(name)]), parsePolicy(everything));
    expect(refusals.map(({ rule }) => rule)).toContain('names');
  });

  it.each(['../x', 'a/b', '..', '', '-a', '/'])('an instance named %j is refused', (uid) => {
    const refusals = check(manifest(uid, [component('main')]), parsePolicy(everything));
    expect(refusals.map(({ rule }) => rule)).toContain('names');
  });

  it.each(['other_data', '/etc', 'blog_../x', 'blogdata'])('the volume %j of another instance is refused', (name) => {
    expect(rules(volume(name), everything)).toContain('form');
  });

  it('labels of the daemon, malformed modes and variables are refused', () => {
    expect(rules({ labels: { 'hortus.instance': 'other' } }, everything)).toContain('form');
    expect(rules(file('/etc/x', '0999'), everything)).toContain('form');
    expect(rules({ env: { 'A=B': 'c' } }, everything)).toContain('form');
    expect(rules(mount('/srv/../etc'), everything)).toContain('form');
  });
});

describe('the operator allows', () => {
  it('each permission by its name', () => {
    expect(rules({ privileged: true }, 'privileged: true')).toEqual([]);
    expect(rules(mount('/run/docker.sock'), 'docker_socket: true')).toEqual([]);
    expect(rules({ capabilities: { add: ['NET_ADMIN'], drop: [] } }, 'capabilities: [NET_ADMIN]')).toEqual([]);
    expect(rules({ ports: [{ container_port: 53, host_port: 53, protocol: 'udp' }] }, 'host_ports: ["50-60"]')).toEqual(
      [],
    );
    expect(rules({ gpu: { count: 1 } }, 'gpu: true')).toEqual([]);
  });

  it('a range of ports only as a whole', () => {
    const ports = Array.from({ length: 11 }, (_, index) => ({
      container_port: 50 + index,
      host_port: 50 + index,
      protocol: 'udp' as const,
    }));
    expect(rules({ ports }, 'host_ports: ["50-60"]')).toEqual([]);
    expect(rules({ ports }, 'host_ports: ["50-54", "55", "56-99"]')).toEqual([]);
    expect(rules({ ports }, 'host_ports: ["50-59"]')).toEqual(['host_ports']);
    expect(rules({ ports }, 'host_ports: ["50-54", "56-99"]')).toEqual(['host_ports']);
  });

  it('a directory with its content, and not its neighbour', () => {
    expect(rules(mount('/srv/media/films'), 'host_paths: [/srv/media]')).toEqual([]);
    expect(rules(mount('/srv/media2'), 'host_paths: [/srv/media]')).toEqual(['host_paths']);
    expect(rules(mount('/srv'), 'host_paths: [/srv/media]')).toEqual(['host_paths']);
  });

  it('not the target of a symbolic link', async () => {
    await using folder = temporaryFolder('policy');
    symlinkSync('/etc', join(folder.path, 'link'));
    symlinkSync('/run', join(folder.path, 'run'));
    const policy = `host_paths: [${folder.path}]`;
    expect(rules(mount(join(folder.path, 'own')), policy)).toEqual([]);
    expect(rules(mount(join(folder.path, 'link')), policy)).toEqual(['host_paths']);
    expect(rules(mount(join(folder.path, 'link', 'shadow')), policy)).toEqual(['host_paths']);
    expect(rules(mount(join(folder.path, 'run')), policy)).toEqual(['docker_socket']);
  });

  it('images of listed registries only', () => {
    const policy = 'registries: [docker.io/library, registry.example.org]';
    expect(rules({ image: 'nginx:1' }, policy)).toEqual([]);
    expect(rules({ image: 'registry.example.org/a/b:1' }, policy)).toEqual([]);
    expect(rules({ image: 'someone/nginx:1' }, policy)).toEqual(['registries']);
    expect(rules({ image: 'registry.example.org.evil.net/a:1' }, policy)).toEqual(['registries']);
  });

  it('memory and CPUs up to a maximum, and then requires limits', () => {
    const policy = 'max_memory: 1Gi\nmax_cpus: 2';
    expect(rules({ resources: { memory_bytes: 2 ** 30, cpus: 2 } }, policy)).toEqual([]);
    expect(rules({ resources: { memory_bytes: 2 ** 30 + 1, cpus: 3 } }, policy)).toEqual(['max_memory', 'max_cpus']);
    expect(rules({}, policy)).toEqual(['max_memory', 'max_cpus']);
  });
});

describe('the policy file', () => {
  it('may be missing, and may be JSON', async () => {
    await using folder = temporaryFolder('policy');
    expect(readPolicy(join(folder.path, 'policy.yaml'))).toEqual(parsePolicy(''));
    expect(parsePolicy('{"gpu": true}').gpu).toBe(true);
  });

  it('a daemon below the minimum of the policy does not start, and says why', () => {
    const policy = parsePolicy('min_daemon_version: 1.4.0');
    const start = (version: string) => () => requireMinimumVersion(policy, version, '/var/lib/hortusd/policy.yaml');
    expect(start('1.3.9')).toThrow(
      '/var/lib/hortusd/policy.yaml: min_daemon_version is 1.4.0, but this is hortusd 1.3.9',
    );
    expect(start('1.4.0-rc.1')).toThrow('Install a newer hortusd');
    for (const version of ['1.4.0', '1.4.1', '2.0.0']) expect(start(version)).not.toThrow();
  });

  it('with a mistake is refused with its position', () => {
    expect(() => parsePolicy('privilegd: true')).toThrow('privileged');
    expect(() => parsePolicy('gpu: maybe')).toThrow('gpu');
    expect(() => parsePolicy('a: [')).toThrow('policy.yaml:1');
    expect(() => parsePolicy('max_memory: lots')).toThrow('max_memory');
    expect(() => parsePolicy('min_daemon_version: newest')).toThrow('min_daemon_version');
  });

  it('can be printed and read back', () => {
    const policy = parsePolicy('gpu: true\nmax_memory: 1Gi\nhost_paths: [/srv]\nmin_daemon_version: 1.2.3');
    expect(parsePolicy(printPolicy(policy))).toEqual(policy);
  });
});

describe('a policy that forbids raising the default limits', () => {
  const usual: Partial<ManifestComponent> = {
    resources: { pids: 4096 },
    logging: { max_bytes: 10 * 1024 ** 2, max_files: 3, by_default: true },
    confinement: { seccomp: 'default', apparmor: 'default', no_new_privileges: true },
    capabilities: { add: [], drop: ['AUDIT_WRITE', 'MKNOD', 'NET_RAW', 'SETFCAP'] },
  };
  const forbidding = 'raise_limits: false';

  it('leaves privileged components to their own rule', () => {
    const privileged: Partial<ManifestComponent> = { ...usual, privileged: true, capabilities: { add: [], drop: [] } };
    expect(rules(privileged, `privileged: true\n${forbidding}`)).toEqual([]);
    expect(rules(privileged, forbidding)).toEqual(['privileged']);
  });

  it('allows a component at or below the limits', () => {
    expect(rules(usual, forbidding)).toEqual([]);
    expect(
      rules({ ...usual, capabilities: { add: ['CHOWN'], drop: ['ALL'] }, resources: { pids: 10 } }, forbidding),
    ).toEqual([]);
  });

  it.each<[string, Partial<ManifestComponent>]>([
    ['more processes', { resources: { pids: 4097 } }],
    ['processes without a limit', { resources: {} }],
    ['a process limit of -1, which means unlimited', { resources: { pids: -1 } }],
    ['a larger log', { logging: { max_bytes: 10 * 1024 ** 2, max_files: 4 } }],
    ['a log without a limit', { logging: undefined as never }],
    ['new privileges', { confinement: { seccomp: 'default', apparmor: 'default', no_new_privileges: false } }],
    ['a capability that is not dropped', { capabilities: { add: [], drop: ['MKNOD', 'AUDIT_WRITE', 'SETFCAP'] } }],
    ['a capability that is dropped and added', { capabilities: { add: ['NET_RAW'], drop: ['ALL'] } }],
  ])('refuses %s', (_, overrides) => {
    expect(rules({ ...usual, ...overrides }, forbidding)).toContain('raise_limits');
    expect(rules({ ...usual, ...overrides })).toEqual([]);
  });
});
