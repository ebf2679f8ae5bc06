import type { Permission } from '@hortus/contract/template/host-access';
import type { ManifestPermission } from '@hortus/contract/template/manifest';
import { withProfile } from '../canonical/canonical.ts';
import type { Canonical } from '../canonical/canonical-form.ts';
import { accessOf, covers, needsOperator, type Reaching } from '../canonical/host-access.ts';

/**
 * Returns the access of the components to the server, each with the reason that the template declares; an empty reason
 * means undeclared.
 */
export function permissionsUsed(
  components: Iterable<readonly [string, Reaching]>,
  declared: readonly Permission[],
): ManifestPermission[] {
  return [...components].flatMap(([component, reaching]) =>
    accessOf(reaching).map((access) => {
      const { kind, value } = access;
      const reason = declared.find((permission) => covers(permission, component, access))?.reason ?? '';
      return {
        kind,
        component,
        ...(value === undefined ? {} : { value }),
        reason,
        needs_operator: needsOperator(access),
      };
    }),
  );
}

/** Returns the permissions that a deployment of this spec needs, to show them to a person first. */
export function permissionsOf(spec: Canonical, profile?: string): ManifestPermission[] {
  const { components, permissions } = (profile === undefined ? spec : withProfile(spec, profile)) ?? spec;
  return permissionsUsed(Object.entries(components), permissions);
}
