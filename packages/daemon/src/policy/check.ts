import { DEFAULT_LOG, DEFAULT_PIDS, DROPPED_CAPABILITIES } from '@hortus/contract/template/container-defaults';
import type { Manifest, ManifestComponent } from '@hortus/contract/template/manifest';
import { refuseForm } from './form.ts';
import { refuseHostAccess } from './host-access.ts';
import type { Policy, Refusal } from './policy.ts';

/** Returns every violation of the server's policy in a manifest; empty if it is allowed. */
export function check(manifest: Manifest, policy: Policy): Refusal[] {
  const refusals = refuseForm(manifest);
  for (const component of manifest.components) {
    refusals.push(...refuseHostAccess(component, policy), ...refuseSize(component, policy));
    if (!policy.raise_limits) refusals.push(...refuseRaised(component));
    refusals.push(...refuseImage(component.name, component.image, policy));
  }
  for (const action of manifest.actions) {
    if (action.image !== undefined) refusals.push(...refuseImage(action.component, action.image, policy));
  }
  return refusals;
}

function refuseSize({ name, resources }: ManifestComponent, policy: Policy): Refusal[] {
  const refusals: Refusal[] = [];
  const limit = (rule: string, what: string, max: number | undefined, wanted: number | undefined) => {
    if (max === undefined || (wanted !== undefined && wanted > 0 && wanted <= max)) return;
    const message = wanted ? `requests ${wanted} ${what}, more than the allowed ${max}` : `sets no limit for ${what}`;
    refusals.push({ rule, component: name, message });
  };
  limit('max_memory', 'bytes of memory', policy.max_memory_bytes, resources.memory_bytes);
  limit('max_cpus', 'processors', policy.max_cpus, resources.cpus);
  return refusals;
}

/** Finds what exceeds the default limits, whether the template raised them or the service omitted them. */
function refuseRaised({
  name,
  resources,
  logging,
  confinement,
  capabilities,
  privileged,
}: ManifestComponent): Refusal[] {
  const messages: string[] = [];
  const raised = (message: string): Refusal => ({
    rule: 'raise_limits',
    component: name,
    message: `${message}, which the policy of this server does not allow`,
  });
  const { pids = Number.POSITIVE_INFINITY } = resources;
  if (pids > DEFAULT_PIDS || pids < 1) messages.push(`requests more than ${DEFAULT_PIDS} processes`);
  const kept = logging ? logging.max_bytes * logging.max_files : Number.POSITIVE_INFINITY;
  const max = DEFAULT_LOG.max_bytes * DEFAULT_LOG.max_files;
  if (kept > max) messages.push(`requests more than ${max} bytes of log`);
  // Privileged containers are covered by their own rule.
  if (privileged) return messages.map(raised);
  if (!confinement.no_new_privileges) messages.push('allows its programs to gain privileges');
  const dropped = capabilities.drop.map(plainCapability);
  const added = capabilities.add.map(plainCapability);
  for (const capability of DROPPED_CAPABILITIES) {
    const isGone = dropped.includes(capability) || dropped.includes('ALL');
    if (!isGone || added.includes(capability) || added.includes('ALL'))
      messages.push(`requests the capability ${capability}`);
  }
  return messages.map(raised);
}

const plainCapability = (name: string): string => name.toUpperCase().replace(/^CAP_/, '');

function refuseImage(component: string, image: string, policy: Policy): Refusal[] {
  const full = fullName(image);
  const allowed = policy.registries.some(
    (from) => from === '*' || full === from || full.startsWith(from.endsWith('/') ? from : `${from}/`),
  );
  return allowed
    ? []
    : [{ rule: 'registries', component, message: `the image ${image} comes from a registry that is not allowed` }];
}

/** Expands a short name: `nginx` is docker.io/library/nginx. */
function fullName(image: string): string {
  const [first = '', ...rest] = image.split('/');
  if (rest.length === 0) return `docker.io/library/${image}`;
  return /[.:]/.test(first) || first === 'localhost' ? image : `docker.io/${image}`;
}
