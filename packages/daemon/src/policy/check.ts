import { DEFAULT_LOG, DEFAULT_PIDS, DROPPED_CAPABILITIES } from '@hortus/contract/template/container-defaults';
import type { Manifest, ManifestComponent } from '@hortus/contract/template/manifest';
import { refuseForm } from './form.ts';
import { refuseHostAccess } from './host-access.ts';
import type { Policy, Refusal } from './policy.ts';

/** Everything in a manifest that this server does not do, whoever signed it. An empty answer is a yes. */
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
  const limit = (rule: string, what: string, most: number | undefined, wanted: number | undefined) => {
    if (most === undefined || (wanted !== undefined && wanted > 0 && wanted <= most)) return;
    const message = wanted ? `wants ${wanted} ${what}, more than ${most}` : `has no limit of its ${what}`;
    refusals.push({ rule, component: name, message });
  };
  limit('max_memory', 'bytes of memory', policy.max_memory_bytes, resources.memory_bytes);
  limit('max_cpus', 'processors', policy.max_cpus, resources.cpus);
  return refusals;
}

/** What of a component exceeds the default limits, whether its template raised them or the service left them out. */
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
  if (pids > DEFAULT_PIDS || pids < 1) messages.push(`wants more than ${DEFAULT_PIDS} processes`);
  const kept = logging ? logging.max_bytes * logging.max_files : Number.POSITIVE_INFINITY;
  const most = DEFAULT_LOG.max_bytes * DEFAULT_LOG.max_files;
  if (kept > most) messages.push(`wants to keep more than ${most} bytes of its log`);
  // Whether a component may be privileged, and so has every right, is a rule of its own.
  if (privileged) return messages.map(raised);
  if (!confinement.no_new_privileges) messages.push('wants programs in it to gain privileges');
  const dropped = capabilities.drop.map(plainCapability);
  const added = capabilities.add.map(plainCapability);
  for (const capability of DROPPED_CAPABILITIES) {
    const isGone = dropped.includes(capability) || dropped.includes('ALL');
    if (!isGone || added.includes(capability) || added.includes('ALL'))
      messages.push(`keeps the capability ${capability}`);
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

/** `nginx` is short for docker.io/library/nginx. */
function fullName(image: string): string {
  const [first = '', ...rest] = image.split('/');
  if (rest.length === 0) return `docker.io/library/${image}`;
  return /[.:]/.test(first) || first === 'localhost' ? image : `docker.io/${image}`;
}
