import type { Manifest, ManifestComponent } from '@hortus/contract/template/manifest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ActionRequest } from '../journal/action.ts';
import { action, request } from '../testing/actions.ts';
import { DaemonProcess, sleeper } from '../testing/daemon-process.ts';
import { id, Signer } from '../testing/signing.ts';

/** A compromised service against the real daemon; its signatures are valid unless the test says otherwise. */
let daemon: DaemonProcess;
beforeAll(async () => {
  daemon = await DaemonProcess.start();
  await daemon.connected();
});
afterAll(() => daemon.close());

const host = (host_path: string) => ({
  storage: [{ name: 'data', host_path, mount_path: '/data', read_only: false, critical: false }],
});
const file = (mount_path: string) => ({ files: [{ mount_path, mode: '0644', content: 'x' }] });
const route = (overrides: object) => ({
  routes: [
    {
      name: 'web',
      component: 'main',
      port: 80,
      host: 'a.example.org',
      path: '/',
      strip: false,
      tls: 'off',
      primary: true,
      url: '',
      ...overrides,
    },
  ] as Manifest['routes'],
});

/** Expects a rejection that names the rule, and no effect on the engine. */
async function refused(deployment: string, rule: string, uid: string): Promise<void> {
  const report = await daemon.reportOf(deployment);
  expect(report).toMatchObject({ status: 'failed', error: expect.stringContaining('Refused') });
  const rules = [...String(report.error).matchAll(/\(rule (\w+)\)/g)].map(([, name]) => name);
  expect([report.reason, ...rules]).toContain(rule);
  const { engine } = daemon.server;
  expect(await engine.containers({ labels: { 'hortus.server': daemon.serverId, 'hortus.instance': uid } })).toEqual([]);
}

describe('a manifest is refused by the named rule:', () => {
  it.each<[threat: string, rule: string, Partial<ManifestComponent>]>([
    ['path traversal in the path of a file', 'form', file('/etc/../../../root/.ssh/authorized_keys')],
    ['a relative path of a file', 'form', file('../../etc/cron.d/x')],
    ['a privileged container', 'privileged', { privileged: true }],
    ['the processes of the server', 'host_pid', { pid: 'host' }],
    ['the memory of the server', 'host_ipc', { ipc: 'host' }],
    ['the network of the server', 'host_network', { network: 'host' }],
    ['a mount of / of the server', 'host_root', host('/')],
    ['a mount of a directory of the server', 'host_paths', host('/etc')],
    ['a mount that climbs out of an allowed directory', 'host_root', host('/srv/..')],
    ['the socket of the engine', 'docker_socket', host('/var/run/docker.sock')],
    [
      'a volume of another instance',
      'form',
      { storage: [{ name: 'd', volume: 'other_data', mount_path: '/d', read_only: false, critical: false }] },
    ],
    ['a capability that is root', 'capabilities', { capabilities: { add: ['SYS_ADMIN'], drop: [] } }],
    ['a capability under its long name', 'capabilities', { capabilities: { add: ['CAP_SYS_ADMIN'], drop: [] } }],
    [
      'a disk of the server as a device',
      'devices',
      { devices: [{ path: '/dev/sda', container_path: '/dev/sda', access: 'rwm' }] },
    ],
    ['GPUs', 'gpu', { gpu: { count: 'all' } }],
    ['a setting of the kernel', 'sysctls', { sysctls: { 'kernel.core_pattern': '|/x' } }],
    [
      'a port of the server below 1024',
      'host_ports',
      { ports: [{ container_port: 22, host_port: 22, protocol: 'tcp' }] },
    ],
    [
      'no seccomp',
      'unconfined',
      { confinement: { seccomp: 'unconfined', apparmor: 'default', no_new_privileges: false } },
    ],
    ['labels of the daemon', 'form', { labels: { 'hortus.instance': 'other' } }],
    ['an image reference that is a path of the engine', 'form', { image: '../../containers/json?x=y' }],
    ['an invalid name server', 'form', { dns: ['127.0.0.1 -x'] }],
    ['a host entry that injects another', 'form', { extra_hosts: { 'a:10.0.0.1\nb': '10.0.0.2' } }],
    [
      'an invalid host address',
      'form',
      { ports: [{ container_port: 80, host_port: 8080, host_ip: '0.0.0.0:1', protocol: 'tcp' }] },
    ],
    [
      'more ports than an engine can publish',
      'form',
      {
        ports: Array.from({ length: 501 }, (_, index) => ({ container_port: 2000 + index, protocol: 'tcp' as const })),
      },
    ],
    ['a group that is an option', 'form', { group_add: ['--privileged'] }],
    ['a schedule that is a command', 'form', { schedule: '* * * * * root reboot' }],
    ['more containers than a server can run', 'form', { replicas: 100_000 }],
    ['a variable that injects another', 'form', { env: { 'A=1\nLD_PRELOAD': 'x' } }],
  ])('%s', async (_, rule, overrides) => {
    const uid = daemon.server.newUid();
    await refused(daemon.order(uid, [sleeper(overrides)]), rule, uid);
  });

  it.each(['a/b', '../b', 'a\\b', 'a b', '-rm', ''])(
    'the name of a component with slashes and the like: %j',
    async (name) => {
      const uid = daemon.server.newUid();
      await refused(daemon.order(uid, [{ ...sleeper(), name }]), 'names', uid);
    },
  );

  it.each(['a/b', '../../etc', 'a b', ''])('the name of an instance with slashes and the like: %j', async (uid) => {
    await refused(daemon.order(uid, [sleeper()]), 'names', uid);
  });

  it.each([
    ['a placeholder of the ingress as its host', { host: '{env.HOME}' }],
    ['a placeholder of the ingress in its path', { path: '/{http.request.header.Cookie}' }],
    ['a component that does not exist', { component: 'other' }],
    ['an invalid port', { port: 70_000 }],
  ])('a route with %s', async (_, overrides) => {
    const uid = daemon.server.newUid();
    await refused(daemon.order(uid, [sleeper()], route(overrides)), 'routes', uid);
  });

  it('a forged signature', async () => {
    const uid = daemon.server.newUid();
    await refused(daemon.order(uid, [sleeper()], {}, { forgedBy: new Signer() }), 'signature', uid);
  });

  it('a manifest that was changed after it was signed', async () => {
    const uid = daemon.server.newUid();
    const { service } = daemon;
    service.socket?.pause();
    const deployment = daemon.order(uid, [sleeper()]);
    service.manifests.set(deployment, {
      ...(service.manifests.get(deployment) as object),
      components: [sleeper({ privileged: true })],
    });
    service.socket?.resume();
    await refused(deployment, 'signature', uid);
  });

  it('a replayed signature: of another deployment, of another server, of an older time', async () => {
    const uid = daemon.server.newUid();
    await refused(daemon.order(uid, [sleeper()], {}, { deployment_id: id('dep', 999) }), 'replay', uid);
    await refused(daemon.order(uid, [sleeper()], {}, { server_id: id('srv', 999) }), 'replay', uid);
    const deployed = daemon.order(uid, [sleeper()]);
    expect(await daemon.reportOf(deployed)).toMatchObject({ status: 'success' });
    const old = daemon.order(uid, [sleeper({ env: { A: 'old' } })], {}, { signed_at: '2020-01-01T00:00:00.000Z' });
    expect(await daemon.reportOf(old)).toMatchObject({ status: 'failed', reason: 'replay' });
  });
});

describe('an action is refused by the named rule:', () => {
  const uid = 'hostile-actions';
  const echo = action('echo', ['echo', '${params.word}'], { params: [{ name: 'word', type: 'text', required: true }] });
  beforeAll(async () => {
    const deployment = daemon.order(uid, [sleeper()], { actions: [echo] });
    expect(await daemon.reportOf(deployment)).toMatchObject({ status: 'success' });
  });
  const ask = (asked: ActionRequest) => {
    daemon.service.send({ type: 'action_request', ...asked });
    return daemon.resultOf(asked.execution_id);
  };
  const metacharacters = '$(touch /tmp/pwned); `id` | cat && "\' \n *';

  it.each<[threat: string, rule: string, ActionRequest]>([
    ['one that is not in the manifest', 'action', request('shell', ['sh', '-c', 'id'], {}, uid)],
    ['one of an instance that is not here', 'instance', request('echo', ['echo', 'a'], { word: 'a' }, 'elsewhere')],
    ['another command', 'command', request('echo', ['sh', '-c', 'id'], { word: 'a' }, uid)],
    [
      'shell metacharacters that are not in the params',
      'command',
      request('echo', ['echo', `a${metacharacters}`], { word: 'a' }, uid),
    ],
    ['one more argument', 'command', request('echo', ['echo', 'a', '--file=/etc/passwd'], { word: 'a' }, uid)],
    ['undeclared params', 'params', request('echo', ['echo', 'a'], { word: 'a', user: 'root' }, uid)],
  ])('%s', async (_, rule, asked) => {
    expect(await ask(asked)).toMatchObject({ type: 'action_failed', error: expect.stringContaining(`(rule ${rule})`) });
  });

  it('an order to run a scheduled job', async () => {
    const asked = request('main', [], {}, uid);
    asked.action.type = 'scheduled';
    expect(await ask(asked)).toMatchObject({
      type: 'action_failed',
      error: 'Scheduled jobs cannot be started by an order.',
    });
  });

  it('while shell metacharacters in a param stay one argument', async () => {
    const asked = request('echo', ['echo', metacharacters], { word: metacharacters }, uid);
    expect(await ask(asked)).toMatchObject({ type: 'action_completed', output: `${metacharacters}\n` });
  });
});
