import type { Change, UpgradeRefusal } from '@hortus/contract/resources/upgrades';
import { withProfile } from '../canonical/canonical.ts';
import type { Canonical } from '../canonical/canonical-form.ts';
import { primaryImage, variantImage } from '../canonical/primary.ts';
import { type Chosen, type Conflict, compareInputs, type NewInput } from './asked.ts';
import { differences, named } from './change.ts';
import { componentChanges } from './components.ts';
import { type Irreversible, irreversibles } from './irreversible.ts';
import { dataWay, notesBetween, type UpgradeNote } from './passage.ts';
import { skippedStops } from './path.ts';
import { refusalOf, refusalText } from './refusal.ts';

export interface Comparison {
  readonly changes: readonly Change[];
  readonly conflicts: readonly Conflict[];
  readonly newInputs: readonly NewInput[];
  readonly irreversible: readonly Irreversible[];
  /** Notes of the newer template that concern this upgrade, by version. */
  readonly notes: readonly UpgradeNote[];
  /** What happens to the data: it stays in its volumes, or a dump of it is restored into new ones. */
  readonly data: 'kept' | 'dump_restore';
  /** Set if the newer version does not take the data of the running one. */
  readonly refusal: UpgradeRefusal | undefined;
}

/**
 * Compares three ways: the running template, the newer one, and the current settings. Secret values are not available
 * here, so none can be shown.
 */
export function compareForUpgrade(from: Canonical, to: Canonical, chosen: Chosen): Comparison {
  const [before, after] = [withProfile(from, chosen.profile) ?? from, withProfile(to, chosen.profile) ?? to];
  const asked = compareInputs(before, after, chosen);
  return {
    changes: [
      ...differences({ area: 'application', component: null }, about(before), about(after)),
      ...componentChanges(before, after, chosen.variant),
      ...differences({ area: 'route', component: null }, routes(before), routes(after)),
      ...differences({ area: 'secret', component: null }, generated(before), generated(after)),
      ...asked.changes,
    ],
    conflicts: [...notThisWay(from, to), ...chosenShape(from, to, chosen), ...asked.conflicts],
    newInputs: asked.newInputs,
    irreversible: irreversibles(before, after),
    notes: notesBetween(from, to),
    data: dataWay(from, to),
    refusal: refusalOf(from, to),
  };
}

const about = ({ version, app_version }: Canonical) => ({ version, app_version });
const routes = (spec: Canonical) => named(spec.routes, ({ name }) => name);
/** Generated secrets; external ones are asked for like inputs. */
const generated = ({ secrets }: Canonical) =>
  Object.fromEntries(Object.entries(secrets).filter(([, secret]) => !secret.external));

/** Finds why the version cannot be reached from the running one. No input resolves these conflicts. */
function notThisWay(from: Canonical, to: Canonical): Conflict[] {
  const refusal = refusalOf(from, to);
  if (refusal) return [{ field: 'version', reason: 'refused', message: refusalText(refusal) }];
  const dumps = from.backup.strategy === 'dump' || from.backup.strategy === 'both';
  if (dataWay(from, to) === 'dump_restore' && !dumps) {
    const message = `the data must be dumped for ${to.app_version}, but the running version of the template makes no dump`;
    return [{ field: 'version', reason: 'no_dump', message }];
  }
  const [stop] = skippedStops(from, to);
  if (stop === undefined) return [];
  const start = from.app_version ?? 'a version that does not name its application version';
  const message = `version ${stop} is a required stop between ${start} and ${to.app_version}; upgrade to it first`;
  return [{ field: 'version', reason: 'required_stop', message }];
}

function chosenShape(from: Canonical, to: Canonical, { profile, variant }: Chosen): Conflict[] {
  const conflicts: Conflict[] = [];
  if (withProfile(from, profile) && !withProfile(to, profile))
    conflicts.push({
      field: 'profile',
      reason: 'profile_removed',
      message: `${profile} is not a profile of the newer version`,
    });
  const image = primaryImage(to);
  if (variant !== undefined && !(image && variantImage(image, variant)))
    conflicts.push({
      field: 'variant',
      reason: 'variant_removed',
      message: `${variant} is not a variant of the newer version`,
    });
  return conflicts;
}
