import type { UpgradeRefusal } from '@hortus/contract/resources/upgrades';
import type { Canonical } from '../canonical/canonical-form.ts';
import { compareVersions } from '../notation/version-order.ts';

/**
 * Finds why a template does not take the data of an earlier version. The rules compare versions of the template, because an
 * image or a store may be replaced without another version of the application.
 */
export function refusalOf(
  running: Pick<Canonical, 'version'>,
  { upgrade }: Pick<Canonical, 'upgrade'>,
): UpgradeRefusal | undefined {
  const rule = (upgrade?.refuse ?? []).find(
    ({ from, before }) =>
      compareVersions(running.version, before) < 0 &&
      (from === undefined || compareVersions(running.version, from) >= 0),
  );
  return rule && { reason: rule.reason, instead: rule.instead };
}

/** Message of a refused upgrade, without the full stop that errors end with. */
export const refusalText = ({ reason, instead }: UpgradeRefusal): string =>
  `the newer version does not take the data of the running one. ${reason.trim()} Instead: ${instead.trim().replace(/\.$/, '')}`;
