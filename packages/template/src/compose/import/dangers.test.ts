import { describe, expect, it } from 'vitest';
import { importCompose } from './import-compose.ts';

/** Everything of a server that a Compose file can ask for, and how the import tells of it. */
const PERMITTED: [said: string, kind: string, value?: string][] = [
  ['privileged: true', 'privileged'],
  ['privileged: "${P:-true}"', 'privileged'],
  ['pid: host', 'host_pid'],
  ['ipc: host', 'host_ipc'],
  ['network_mode: host', 'host_network'],
  ['cap_add: [cap_net_admin]', 'capability', 'NET_ADMIN'],
  ['cap_add: [ALL]', 'capability', 'ALL'],
  ['devices: ["/dev/net/tun:/dev/net/tun:rwm"]', 'device', '/dev/net/tun'],
  ['sysctls: [net.core.somaxconn=1024]', 'sysctl', 'net.core.somaxconn'],
  ['sysctls: {net.ipv4.ip_forward: 1}', 'sysctl', 'net.ipv4.ip_forward'],
  ['security_opt: ["seccomp:unconfined"]', 'unconfined', 'seccomp'],
  ['security_opt: [apparmor=unconfined]', 'unconfined', 'apparmor'],
  ['security_opt: ["no-new-privileges:false"]', 'new_privileges'],
  ['cap_add: [NET_RAW]', 'capability', 'NET_RAW'],
  ['volumes: ["/:/host:ro"]', 'host_root', '/'],
  ['volumes: ["/var/run/docker.sock:/var/run/docker.sock:ro"]', 'docker_socket', '/var/run/docker.sock'],
  ['volumes: ["//var//run/../run/docker.sock:/s"]', 'docker_socket', '/var/run/docker.sock'],
  ['volumes: ["/var/run:/run"]', 'docker_socket', '/var/run'],
  ['volumes: ["${SOCK:-/var/run/docker.sock}:/s"]', 'host_path', '${inputs.SOCK}'],
  ['volumes: ["/srv/media:/media"]', 'host_path', '/srv/media'],
  ['volumes: [{type: bind, source: /etc, target: /e}]', 'host_path', '/etc'],
  ['volumes: ["~/.ssh:/root/.ssh"]', 'host_path'],
  ['gpus: all', 'gpu'],
  ['deploy: {resources: {reservations: {devices: [{driver: nvidia, count: 1, capabilities: [gpu]}]}}}', 'gpu'],
];

const REFUSED: [said: string, path: string][] = [
  ['pid: "container:abc"', 'pid'],
  ['userns_mode: host', 'userns_mode'],
  ['uts: host', 'uts'],
  ['cgroup: host', 'cgroup'],
  ['cgroup_parent: /x', 'cgroup_parent'],
  ['device_cgroup_rules: ["c 1:3 mr"]', 'device_cgroup_rules'],
  ['devices: ["vendor.com/gpu=all"]', 'devices[0]'],
  ['devices: ["${D}:/dev/x"]', 'devices[0]'],
  ['security_opt: ["label:disable"]', 'security_opt[0]'],
  ['security_opt: ["seccomp:./profile.json"]', 'security_opt[0]'],
  ['runtime: kata', 'runtime'],
  ['use_api_socket: true', 'use_api_socket'],
  ['volumes: ["a:/a:rshared"]', 'volumes[0]'],
  ['volumes: [{type: npipe, source: x, target: /x}]', 'volumes[0]'],
  ['volumes_from: ["container:abc"]', 'volumes_from[0]'],
];

const file = (said: string) => `services:\n  app:\n    image: a:1\n    ${said}\n`;

describe('access to the host in a Compose file', () => {
  it.each(PERMITTED)('%s becomes the permission %s', (said, kind, value) => {
    const { template, findings } = importCompose(file(said));
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    const [permission] = template?.permissions ?? [];
    expect(permission).toMatchObject({ kind, component: 'app', ...(value === undefined ? {} : { value }) });
  });

  it.each(REFUSED)('%s is refused', (said, path) => {
    const { template, dropped } = importCompose(file(said));
    expect(dropped.filter(({ refused }) => refused)).toContainEqual(
      expect.objectContaining({ path: `services.app.${path}`, line: 4 }),
    );
    expect(template?.permissions ?? []).toEqual([]);
  });

  it('is detected in the options of a volume', () => {
    const { template } = importCompose(
      `${file('volumes: [sneaky:/x]')}volumes: {sneaky: {driver_opts: {type: none, o: bind, device: /etc}}}\n`,
    );
    expect(template?.permissions).toMatchObject([{ kind: 'host_path', value: '/etc' }]);
  });

  it('is detected behind an anchor', () => {
    const { template } = importCompose(`x-p: &p {privileged: true}\nservices: {app: {image: "a:1", <<: *p}}\n`);
    expect(template?.permissions).toMatchObject([{ kind: 'privileged' }]);
  });
});
