import { namePattern } from '@hortus/contract/records/fields';
import { strict } from '@hortus/contract/template/notation';
import Type, { type Static } from 'typebox';

const off = (description: string) => Type.Optional(Type.Boolean({ default: false, description }));
const none = (description: string) => Type.Optional(Type.Array(Type.String(), { default: [], description }));

/** Default capabilities of Docker, and IPC_LOCK, which affects only the container. */
const ORDINARY_CAPABILITIES = [
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'IPC_LOCK',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'NET_RAW',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
];

/**
 * Rules of the operator of this server, which apply to every request of the service. Edited by hand in policy.yaml of
 * the state directory; the service can neither read nor change them.
 */
export const PolicyFile = strict({
  min_daemon_version: Type.Optional(
    Type.String({
      pattern: '^\\d{1,9}\\.\\d{1,9}\\.\\d{1,9}(-[0-9A-Za-z.-]{1,64})?$',
      description:
        'Oldest version of hortusd that may run on this server, such as 1.4.0. An older one does not start, and the service cannot install one. Quote it.',
    }),
  ),
  privileged: off('Privileged containers, which are root on the server.'),
  host_pid: off('Seeing and signalling every process of the server.'),
  host_ipc: off('Sharing memory with processes of the server.'),
  docker_socket: off('Mounting the socket of a container engine, which is root on the server.'),
  host_root: off('Mounting / of the server.'),
  unconfined: none('Kernel protections that may be disabled: seccomp, apparmor.'),
  host_network: off('Sharing the network of the server, including its loopback.'),
  gpu: off('Using the GPUs of the server.'),
  host_paths: none('Directories of the server that may be mounted, with everything below them.'),
  devices: none('Devices of the server that may be used, such as /dev/ttyUSB0.'),
  capabilities: Type.Optional(
    Type.Array(Type.String(), {
      default: ORDINARY_CAPABILITIES,
      description: 'Capabilities that may be added, without the prefix CAP_.',
    }),
  ),
  sysctls: Type.Optional(
    Type.Array(Type.String(), {
      default: ['net.*'],
      description: 'Sysctls that a container may set; a trailing * matches any suffix.',
    }),
  ),
  host_ports: Type.Optional(
    Type.Array(Type.String({ pattern: '^\\d{1,5}(-\\d{1,5})?$' }), {
      default: ['80', '443', '1024-65535'],
      description: 'Host ports that may be published, single or as a range. Quote single ones.',
    }),
  ),
  registries: Type.Optional(
    Type.Array(Type.String(), {
      default: ['*'],
      description: 'Allowed image sources: a registry, or a registry with a path prefix.',
    }),
  ),
  raise_limits: Type.Optional(
    Type.Boolean({
      default: true,
      description:
        'Containers with more than the default limits: more processes or log, gaining privileges, or one of the capabilities AUDIT_WRITE, MKNOD, NET_RAW, SETFCAP.',
    }),
  ),
  shell: Type.Optional(
    Type.Boolean({
      default: true,
      description: 'Shells and commands that people open in containers with hortus shell.',
    }),
  ),
  max_memory: Type.Optional(
    Type.String({
      description: 'Largest memory limit of a container, such as 4Gi; every container must then set a limit.',
    }),
  ),
  max_cpus: Type.Optional(
    Type.Number({ description: 'Largest CPU limit of a container; every container must then set a limit.' }),
  ),
});

type PolicyInput = Static<typeof PolicyFile>;
type Limits = 'max_memory' | 'max_cpus' | 'min_daemon_version';
export type Policy = Required<Omit<PolicyInput, Limits>> & {
  max_memory_bytes: number | undefined;
  max_cpus: number | undefined;
  min_daemon_version: string | undefined;
};

export interface Refusal {
  /** Violated rule of the policy file or of the manifest's form. */
  rule: string;
  component: string | undefined;
  message: string;
}

/** Valid names; they become names of containers, networks and volumes, and parts of paths. */
export const COMPONENT_NAME = /^[a-z][a-z0-9-]{0,30}$/;
export const INSTANCE_UID = new RegExp(namePattern);
