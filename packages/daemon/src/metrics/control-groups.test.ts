import { expect, it } from 'vitest';
import { controlGroupsOf } from './control-groups.ts';
import { isOutside } from './host-traffic.ts';
import { separateDevices, trafficOf, unifiedDevices } from './reading.ts';

const ID = 'a'.repeat(64);
const OTHER = 'b'.repeat(64);

const separate = `25 18 0:22 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755
27 25 0:24 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
28 25 0:25 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
31 25 0:27 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio
29 25 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
`;
const unified = '30 18 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n';

it('the control groups of all containers are found from one, with a tree per controller', () => {
  const groups = `5:blkio:/docker/${ID}\n4:memory:/docker/${ID}\n2:cpu,cpuacct:/docker/${ID}\n0::/docker/${ID}\n`;
  const found = controlGroupsOf(groups, separate, ID);
  expect(found?.version).toBe(1);
  expect(found?.cpu(OTHER)).toBe(`/sys/fs/cgroup/cpu,cpuacct/docker/${OTHER}`);
  expect(found?.memory(ID)).toBe(`/sys/fs/cgroup/memory/docker/${ID}`);
  expect(found?.io(OTHER)).toBe(`/sys/fs/cgroup/blkio/docker/${OTHER}`);
  expect(controlGroupsOf(groups.replace(/^5.*\n/, ''), separate, ID)?.io(ID)).toBeUndefined();
});

it.each([
  ['Docker under systemd', `/system.slice/docker-${ID}.scope`],
  ['a container that runs systemd itself', `/system.slice/docker-${ID}.scope/init.scope`],
  ['Podman', `/machine.slice/libpod-${ID}.scope/container`],
])('control groups are found in the unified tree: %s', (_, path) => {
  const found = controlGroupsOf(`0::${path}\n`, unified, ID);
  expect(found?.version).toBe(2);
  const scope = path.replace(ID, OTHER).replace(/\.scope\/.*/, '.scope');
  expect(found?.cpu(OTHER)).toBe(`/sys/fs/cgroup${scope}`);
  expect(found?.memory(OTHER)).toBe(found?.cpu(OTHER));
  expect(found?.io(OTHER)).toBe(found?.cpu(OTHER));
});

it('control groups are found in a mounted subtree', () => {
  const part = unified.replace('0:26 / ', '0:26 /outer ');
  expect(controlGroupsOf(`0::/outer/docker/${ID}\n`, part, ID)?.cpu(ID)).toBe(`/sys/fs/cgroup/docker/${ID}`);
});

it('another process with the same pid is not taken for the container', () => {
  expect(controlGroupsOf('0::/user.slice/session-1.scope\n', unified, ID)).toBeUndefined();
  expect(controlGroupsOf(`0::/docker/${OTHER}\n`, unified, ID)).toBeUndefined();
  expect(controlGroupsOf('', '', ID)).toBeUndefined();
});

it('network usage is the sum of all interfaces except loopback', () => {
  const netDev = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:     900       9    0    0    0     0          0         0      900       9    0    0    0     0       0          0
  eth0:    1516      18    0    0    0     0          0         0      700       7    0    0    0     0       0          0
  eth1:4       1    0    0    0     0          0         0       30       1    0    0    0     0       0          0
`;
  expect(trafficOf(netDev)).toEqual({ receivedBytes: 1520, sentBytes: 730 });
});

it('block device usage is the sum of all devices, in both layouts, and zero without counters', () => {
  expect(unifiedDevices('8:0 rbytes=4096 wbytes=10 rios=1 wios=2 dbytes=7\n8:16 rbytes=4 wbytes=1\n')).toEqual({
    readBytes: 4100,
    writtenBytes: 11,
  });
  const separate = '8:0 Read 100\n8:0 Write 7\n8:0 Sync 99\n8:0 Total 107\n8:16 Read 1\n8:16 Write 0\nTotal 108\n';
  expect(separateDevices(separate)).toEqual({ readBytes: 101, writtenBytes: 7 });
  expect(unifiedDevices('')).toEqual({ readBytes: 0, writtenBytes: 0 });
});

it('traffic of a server counts its own interfaces, not those of containers', () => {
  const line = (name: string) => ` ${name}: 10 1 0 0 0 0 0 0 20 1 0 0 0 0 0 0`;
  const netDev = ['lo', 'eth0', 'wlan0', 'veth12ab', 'docker0', 'br-77aa', 'cni0', 'podman1'].map(line).join('\n');
  expect(trafficOf(netDev, isOutside)).toEqual({ receivedBytes: 20, sentBytes: 40 });
});
