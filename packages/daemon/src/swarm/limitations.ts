import type { Manifest, ManifestComponent } from '@hortus/contract/template/manifest';
import { isMadeImage } from '@hortus/template/notation/made-images';

/** The manifest needs something that services of a Swarm do not have. */
export class NotOnSwarm extends Error {}

/** Largest content of a secret of a Swarm. */
export const MAX_FILE_BYTES = 500_000;
/** Longest name of a service: it is a DNS label. */
export const MAX_SERVICE_NAME_LENGTH = 63;

/** Names everything in a manifest that a Swarm cannot do; empty if it can be deployed. */
export function refusalsOf({ components }: Pick<Manifest, 'components'>): string[] {
  return components.flatMap((component) => refusedIn(component).map((what) => `${component.name}: ${what}`));
}

export function requireSwarm(manifest: Manifest): void {
  const refusals = refusalsOf(manifest);
  if (refusals.length > 0) throw new NotOnSwarm(`A Docker Swarm cannot run this: ${refusals.join('; ')}`);
}

function refusedIn(component: ManifestComponent): string[] {
  const { confinement, devices, storage, ports, files } = component;
  const refused = (is: boolean, what: string) => (is ? [what] : []);
  return [
    ...refused(component.privileged, 'privileged'),
    ...refused(component.pid === 'host', 'pid: host'),
    ...refused(component.ipc === 'host', 'ipc: host'),
    ...refused(confinement.seccomp !== 'default', 'confinement.seccomp: unconfined'),
    ...refused(confinement.apparmor !== 'default', 'confinement.apparmor: unconfined'),
    ...devices.map(({ path }) => `device ${path}`),
    ...refused(component.gpu !== undefined, 'gpu'),
    ...refused((component.links ?? []).length > 0, 'links to other instances'),
    ...storage.flatMap(({ host_path }) => (host_path === undefined ? [] : `host path ${host_path}`)),
    ...ports.flatMap(({ host_ip, host_port }) =>
      host_ip === undefined || host_port === undefined ? [] : `port ${host_port} on the single address ${host_ip}`,
    ),
    ...files
      .filter(({ content }) => Buffer.byteLength(content) > MAX_FILE_BYTES)
      .map(({ mount_path }) => `file ${mount_path} is larger than ${MAX_FILE_BYTES} bytes`),
  ];
}

/**
 * Refuses images that daemons make on a Swarm of several nodes: only the node of this daemon would have them. Nodes that are down
 * count, because tasks move to them once they return.
 */
export function requireMadeImages({ components }: Pick<Manifest, 'components'>, nodes: readonly unknown[]): void {
  const made = components.find(({ image }) => isMadeImage(image));
  if (made === undefined || nodes.length < 2) return;
  throw new NotOnSwarm(
    `A Docker Swarm of ${nodes.length} nodes cannot run this: ${made.name}: ${made.image} is made on one node, and no registry has it for the others. Use a template with an image of a registry, such as static-site`,
  );
}

/** Names protections that every container on a plain server has, but services of a Swarm cannot have. */
export function lossesOf({ components }: Manifest): string[] {
  const unprotected = components.filter(({ confinement }) => confinement.no_new_privileges).map(({ name }) => name);
  if (unprotected.length === 0) return [];
  return [`no-new-privileges does not apply to ${unprotected.join(', ')}: services of a Swarm cannot set it`];
}
