import { join, resolve } from 'node:path';
import type { MountedSecret, OverlaySpec, ServiceSpec } from '../engine/cluster.ts';
import type { ContainerSpec, Mount } from '../engine/container-spec.ts';
import { label } from '../plan/labels.ts';
import { pinTo } from '../swarm/pins.ts';
import { farSettings, nearSettings, RELAY_PORT, type RelayPlaces } from './relay-settings.ts';
import { selfSigned } from './self-signed.ts';

/** Label of the objects of tunnels. They lack `hortus.managed`, because they belong to no instance. */
export const TUNNEL_PART = 'hortus.tunnel_part';
/** Label with the id of the node that a tunnel leads to. */
export const TUNNEL_NODE = 'hortus.tunnel_node';
const NETWORK = 'hortus_tunnel';

/** Socket of the engine on every node but that of the daemon. */
const ENGINE_SOCKET = '/var/run/docker.sock';
export const SOCKETS_FOLDER = '/sockets';
export const SOCKET_NAME = 'socket';
export const SETTINGS_FILE = '/run/hortus/haproxy.cfg';
const PLACES: RelayPlaces = { identity: '/run/hortus/own.pem', peer: '/run/hortus/peer.pem' };

/**
 * Folder of the socket of a tunnel or relay. Absolute, because outside of a container a bind mount needs that; the end of a name is
 * enough, because it is random, and the address of a socket has at most 107 bytes.
 */
export const socketFolder = (parent: string, name: string): string => join(resolve(parent), name.slice(-12));

export interface TunnelEnds {
  serverId: string;
  image: string;
  /** Ids of the node of the daemon, and of the node that is reached. */
  from: string;
  to: string;
  /** Folder of the socket on the node of the daemon. A folder for each, because its relay reaches all that is in it. */
  folder: string;
}

/** Only services can join it, which the managers of the Swarm create; it leads nowhere else. */
export const tunnelNetwork = (serverId: string): OverlaySpec => ({
  name: NETWORK,
  labels: { [label.server]: serverId, [TUNNEL_PART]: 'network' },
  owner: [TUNNEL_PART],
  internal: true,
  attachable: false,
});

export const tunnelLabels = (serverId: string, node: string, part: string): Record<string, string> => ({
  [label.server]: serverId,
  [TUNNEL_NODE]: node,
  [TUNNEL_PART]: part,
});

/** One end of a tunnel: its files, which become secrets of the Swarm, and its service, once they are stored. */
export interface TunnelEnd {
  files: readonly { path: string; content: string }[];
  service(files: readonly MountedSecret[]): ServiceSpec;
}

/** Describes both ends, with new keys. Each end has its own key, and trusts only the certificate of the other. */
export function tunnelEnds(ends: TunnelEnds): { near: TunnelEnd; far: TunnelEnd } {
  const { from, to, folder } = ends;
  const keys = { near: selfSigned('near'), far: selfSigned('far') };
  const socket = `${SOCKETS_FOLDER}/${SOCKET_NAME}`;
  const end = (part: 'near' | 'far', node: string, settings: string, mount: Mount): TunnelEnd => ({
    files: [
      { path: SETTINGS_FILE, content: settings },
      { path: PLACES.identity, content: keys[part].identity },
      { path: PLACES.peer, content: keys[part === 'near' ? 'far' : 'near'].certificate },
    ],
    service: (files) => ({
      labels: tunnelLabels(ends.serverId, to, part),
      container: relayContainer({
        name: nameOf(part, to),
        image: ends.image,
        labels: tunnelLabels(ends.serverId, to, part),
        network: NETWORK,
        mount,
      }),
      files,
      mode: { kind: 'replicated', replicas: 1 },
      constraints: [pinTo(node)],
    }),
  });
  return {
    far: end('far', to, farSettings(PLACES, ENGINE_SOCKET), {
      kind: 'host',
      path: ENGINE_SOCKET,
      target: ENGINE_SOCKET,
      readOnly: true,
    }),
    near: end('near', from, nearSettings(PLACES, socket, `${nameOf('far', to)}:${RELAY_PORT}`), {
      kind: 'host',
      path: folder,
      target: SOCKETS_FOLDER,
      readOnly: false,
    }),
  };
}

const nameOf = (part: string, node: string): string => `hortus_tunnel_${part}_${node}`;

export interface RelayContainer {
  name: string;
  image: string;
  labels: Record<string, string>;
  network: string;
  mount: Mount;
}

/** Container of HAProxy with as few rights as it needs. */
export function relayContainer({ name, image, labels, network, mount }: RelayContainer): ContainerSpec {
  return {
    name,
    image,
    labels,
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
    entrypoint: ['haproxy'],
    command: ['-db', '-f', SETTINGS_FILE],
    // The socket of the engine belongs to root; without capabilities root may open it, and little else.
    user: '0:0',
    mounts: [mount],
    limits: { memoryBytes: 128 * 1024 ** 2, pids: 64, ulimits: {} },
    restart: 'always',
    ports: [],
    network: { kind: 'bridge', name: network, aliases: [name] },
    privileged: false,
    pid: 'private',
    ipc: 'private',
    seccomp: 'default',
    apparmor: 'default',
    noNewPrivileges: false,
    capabilities: { drop: ['ALL'], add: [] },
    devices: [],
    sysctls: {},
    extraHosts: {},
    logLimit: { maxBytes: 1_000_000, files: 1 },
    readOnlyRoot: true,
    init: false,
    tty: false,
    // The signal of the image waits for open connections.
    stopSignal: 'SIGTERM',
    stopGraceMs: 1_000,
    healthcheck: 'none',
  };
}
