import type { Permission } from '@hortus/contract/template/host-access';
import type { ManifestPermission } from '@hortus/contract/template/manifest';
import { withProfile } from './canonical.ts';
import type { Canonical } from './canonical-form.ts';
import { accessOf, covers, needsOperator, type Reaching } from './host-access.ts';

/** What the components reach, each with the reason the template gives for it; an empty reason means undeclared. */
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

/** What a deploy of this spec needs, to be shown to a person before it. */
export function permissionsOf(spec: Canonical, profile?: string): ManifestPermission[] {
  const { components, permissions } = (profile === undefined ? spec : withProfile(spec, profile)) ?? spec;
  return permissionsUsed(Object.entries(components), permissions);
}
