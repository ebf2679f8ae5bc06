import { withProfile } from '../canonical/canonical.ts';
import type { Canonical } from '../canonical/canonical-form.ts';
import { accessOf, covers, needsOperator } from '../canonical/host-access.ts';
import { didYouMean } from '../schema/nearest.ts';
import { error, warning } from '../source/finding.ts';
import type { Rule } from './rule.ts';

/**
 * Access to the server must be declared, so that the user is asked before a deployment; for some kinds the operator
 * must consent too.
 */
export const permissions: Rule = function* (spec) {
  const used = new Set<number>();
  for (const [component, reaching] of Object.entries(spec.components)) {
    for (const access of accessOf(reaching)) {
      const declared = spec.permissions.findIndex((permission) => covers(permission, component, access));
      used.add(declared);
      if (declared !== -1) continue;
      const { kind, value } = access;
      const what = value === undefined ? kind : `${kind} ${value}`;
      const refused = needsOperator(access) ? ', and the operator of the server must allow it' : '';
      const hint = `add {kind: ${kind}, component: ${component}${value === undefined ? '' : `, value: ${JSON.stringify(value)}`}, reason: …}`;
      yield error(
        'permission',
        ['components', component, ...access.at],
        `${what} must be declared in permissions${refused}`,
        hint,
      );
    }
  }
  const names = Object.keys(spec.components);
  for (const [index, { kind, component }] of spec.permissions.entries()) {
    if (component !== undefined && !names.includes(component)) {
      yield error(
        'unknown-component',
        ['permissions', index, 'component'],
        `there is no component ${component}`,
        didYouMean(component, names),
      );
    } else if (!used.has(index) && !isUsedByProfile(spec, index)) {
      yield warning('unused-permission', ['permissions', index], `nothing uses ${kind}`);
    }
  }
};

/** A GPU that only a profile adds is declared with the template, and asked for when that profile is chosen. */
function isUsedByProfile(spec: Canonical, index: number): boolean {
  const declared = spec.permissions[index];
  return Object.keys(spec.profiles).some((profile) =>
    Object.entries(withProfile(spec, profile)?.components ?? {}).some(([name, component]) =>
      accessOf(component).some((access) => declared !== undefined && covers(declared, name, access)),
    ),
  );
}
