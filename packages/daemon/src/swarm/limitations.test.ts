import { describe, expect, it } from 'vitest';
import { component, manifest } from '../plan/testing/manifests.ts';
import { lossesOf, MAX_FILE_BYTES, refusalsOf, requireMadeImages } from './limitations.ts';

describe('what a Swarm cannot do', () => {
  it('is named with its component', () => {
    const everything = component('main', {
      privileged: true,
      pid: 'host',
      ipc: 'host',
      confinement: { seccomp: 'unconfined', apparmor: 'unconfined', no_new_privileges: false },
      devices: [{ path: '/dev/kvm', container_path: '/dev/kvm', access: 'rwm' }],
      gpu: { count: 'all' },
      links: [{ instance: 'db', definition_id: 'def', component: 'main' }],
      storage: [{ name: 'd', host_path: '/srv', mount_path: '/d', read_only: true, critical: false }],
      ports: [{ container_port: 80, host_port: 80, host_ip: '127.0.0.1', protocol: 'tcp' }],
      files: [{ mount_path: '/f', mode: '0644', content: 'x'.repeat(MAX_FILE_BYTES + 1) }],
    });
    expect(refusalsOf(manifest('u', [everything]))).toEqual([
      'main: privileged',
      'main: pid: host',
      'main: ipc: host',
      'main: confinement.seccomp: unconfined',
      'main: confinement.apparmor: unconfined',
      'main: device /dev/kvm',
      'main: gpu',
      'main: links to other instances',
      'main: host path /srv',
      'main: port 80 on the single address 127.0.0.1',
      `main: file /f is larger than ${MAX_FILE_BYTES} bytes`,
    ]);
  });

  it('is nothing for an ordinary component, with a warning about the protection that is lost', () => {
    const confinement = { seccomp: 'default', apparmor: 'default', no_new_privileges: true } as const;
    const ordinary = manifest('u', [component('main', { confinement }), component('side')]);
    expect(refusalsOf(ordinary)).toEqual([]);
    expect(lossesOf(ordinary)).toEqual([expect.stringContaining('no-new-privileges does not apply to main:')]);
  });

  it('includes an image that only one of several nodes would have', () => {
    const hello = manifest('u', [component('main', { image: 'hortus.invalid/hello:1' })]);
    expect(() => requireMadeImages(hello, [{}, {}])).toThrow(
      'A Docker Swarm of 2 nodes cannot run this: main: hortus.invalid/hello:1 is made on one node',
    );
    expect(() => requireMadeImages(hello, [{}])).not.toThrow();
    expect(() => requireMadeImages(manifest('u', [component('main')]), [{}, {}])).not.toThrow();
  });
});
