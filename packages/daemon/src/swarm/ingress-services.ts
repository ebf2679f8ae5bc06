import { createHash } from 'node:crypto';
import { INGRESS_LABEL } from '@hortus/template/rollout/node-loss';
import type { MountedSecret, OverlaySpec, ServiceSpec } from '../engine/cluster.ts';
import type { ContainerSpec } from '../engine/container-spec.ts';
import { label } from '../plan/labels.ts';
import type { IngressPortNumbers } from './ingress-document.ts';
import {
  CONTROL_NETWORK,
  INGRESS_NETWORK,
  INGRESS_PART,
  INGRESS_SERVICE,
  SOURCE_PORT,
  SOURCE_SERVICE,
} from './ingress-names.ts';

const INITIAL_FILE = '/etc/hortus-ingress.json';
const ROUTES_FOLDER = '/srv';
const ROUTES_FILE = `${ROUTES_FOLDER}/routes.json`;
/** Time for requests under way when a node is drained; see `grace_period` in the document. */
const STOP_GRACE_MS = 15_000;

export const partLabels = (serverId: string, part: string): Record<string, string> => ({
  [label.server]: serverId,
  [INGRESS_PART]: part,
});

/**
 * Networks of the ingress. Routed components join the first one. It is internal, so that an isolated instance with a route
 * still reaches nothing outside. Nodes publish ports over the other one.
 */
export function ingressNetworks(serverId: string): OverlaySpec[] {
  const named = (name: string) => ({ name, labels: partLabels(serverId, 'network'), owner: [INGRESS_PART] });
  return [{ ...named(INGRESS_NETWORK), internal: true }, named(CONTROL_NETWORK)];
}

interface Part {
  serverId: string;
  image: string;
  /** The document that it starts with, or serves. */
  file: Pick<MountedSecret, 'id' | 'name'>;
}

/** Caddy on every node with the label, on ports of the node: the routing mesh needs IPVS, which some kernels lack. */
export function ingressService({ httpPort, httpsPort, ...part }: Part & IngressPortNumbers): ServiceSpec {
  const ports = [httpPort, httpsPort].map((port) => ({
    containerPort: port,
    hostPort: port,
    protocol: 'tcp' as const,
  }));
  return service(part, INITIAL_FILE, {
    container: {
      name: INGRESS_SERVICE,
      command: ['run', '--config', INITIAL_FILE],
      ports,
      mounts: [...FOLDERS, { kind: 'volume', volume: INGRESS_SERVICE, target: '/data', readOnly: false }],
      healthcheck: 'none',
    },
    mode: { kind: 'global' },
    constraints: [`node.labels.${INGRESS_LABEL}==true`],
    networks: [{ name: INGRESS_NETWORK, aliases: [] }],
    // A port of a node has one user at a time.
    update: { order: 'stop-first', monitorMs: 5_000 },
  });
}

/**
 * Serves the routes to all nodes. Its check lets Caddy validate them, so that routes which Caddy rejects are rolled back before
 * a node loads them. Stop-first: two of them would answer with different routes in turn.
 */
export function sourceService(part: Part): ServiceSpec {
  return service(part, ROUTES_FILE, {
    container: {
      name: SOURCE_SERVICE,
      command: ['file-server', '--listen', `:${SOURCE_PORT}`, '--root', ROUTES_FOLDER],
      ports: [],
      mounts: [...FOLDERS, { kind: 'tmpfs', target: '/data' }],
      healthcheck: {
        argv: ['caddy', 'validate', '--config', ROUTES_FILE],
        intervalMs: 1_000,
        timeoutMs: 20_000,
        startPeriodMs: 0,
        retries: 3,
      },
    },
    mode: { kind: 'replicated', replicas: 1 },
    constraints: [],
    update: { order: 'stop-first', monitorMs: 1_000 },
  });
}

const FOLDERS: ContainerSpec['mounts'] = [{ kind: 'tmpfs', target: '/config' }];

type IngressSpec = Omit<ServiceSpec, 'container' | 'labels' | 'files'> & {
  container: Pick<ContainerSpec, 'name' | 'command' | 'ports' | 'mounts' | 'healthcheck'>;
};

function service({ serverId, image, file }: Part, path: string, { container, ...rest }: IngressSpec): ServiceSpec {
  // Hashed without the digest of the image: a tag that moved must not restart the ingress.
  const hashed = JSON.stringify([image, file.name, container, rest]);
  const config = `sha256:${createHash('sha256').update(hashed).digest('hex')}`;
  const labels = { ...partLabels(serverId, 'service'), [label.config]: config };
  return {
    ...rest,
    labels,
    files: [{ ...file, path, mode: '0444' }],
    container: {
      ...container,
      image,
      labels,
      entrypoint: ['caddy'],
      // The resolver of Go asks the DNS of the Swarm with every request; that of C may remember.
      env: { XDG_DATA_HOME: '/data', XDG_CONFIG_HOME: '/config', HOME: '/data', GODEBUG: 'netdns=go' },
      volumeLabels: partLabels(serverId, 'volume'),
      limits: { ulimits: {} },
      restart: 'always',
      network: { kind: 'bridge', name: CONTROL_NETWORK, aliases: [] },
      privileged: false,
      pid: 'private',
      ipc: 'private',
      seccomp: 'default',
      apparmor: 'default',
      noNewPrivileges: false,
      capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] },
      devices: [],
      sysctls: {},
      extraHosts: {},
      logLimit: { maxBytes: 10_000_000, files: 2 },
      readOnlyRoot: true,
      init: false,
      tty: false,
      stopGraceMs: STOP_GRACE_MS,
    },
  };
}
