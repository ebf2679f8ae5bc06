import type { Manifest, ManifestComponent } from '@hortus/contract/template/manifest';
import { refuseForm } from './form.ts';
import { refuseHostAccess } from './host-access.ts';
import type { Policy, Refusal } from './policy.ts';

/** Everything in a manifest that this server does not do, whoever signed it. An empty answer is a yes. */
export function check(manifest: Manifest, policy: Policy): Refusal[] {
  const refusals = refuseForm(manifest);
  for (const component of manifest.components) {
    refusals.push(...refuseHostAccess(component, policy), ...refuseSize(component, policy));
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
