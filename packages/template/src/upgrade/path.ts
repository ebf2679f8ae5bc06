import type { Canonical } from '../canonical/canonical-form.ts';
import { compareVersions } from '../notation/version-order.ts';
import { compareApps, isReleaseOf, skips } from './app-version.ts';

/** A version of a template, and the version of the application that it runs. */
export interface Release {
  readonly version: string;
  readonly app_version?: string | null | undefined;
}

export interface UpgradePath<Known extends Release> {
  /** The version to upgrade to now: the newest one, or one for the next stop. Absent if no version for it is known. */
  readonly next?: Known;
  /** Required stops between the running version and the newest one, in order. */
  readonly stops: readonly string[];
}

/** Lists the required stops of the newer template that an upgrade would skip, in order. */
export function skippedStops(from: Release, to: Pick<Canonical, 'app_version' | 'upgrade'>): string[] {
  const { app_version: target, upgrade } = to;
  if (target === undefined) return [];
  const lines = (upgrade?.via ?? []).map(({ version }) => version);
  return lines.filter((line) => skips(from.app_version ?? undefined, target, line)).sort(compareApps);
}

/**
 * Plans the way to the newest version. The rules are those of the newest template, because a stop may become known
 * after the versions before it were published.
 */
export function upgradePath<Known extends Release>(
  running: Release,
  newest: Known,
  rules: Pick<Canonical, 'app_version' | 'upgrade'>,
  known: readonly Known[],
): UpgradePath<Known> {
  const stops = skippedStops(running, rules);
  const [stop] = stops;
  if (stop === undefined) return { next: newest, stops };
  const fitting = known
    .filter((known) => isReleaseOf(known.app_version ?? '', stop) && leadsOn(running, known))
    // A line may contain another stop: 2.1 is a release of 2 and skips 2.0.
    .filter((known) => !stops.some((other) => skips(running.app_version ?? undefined, known.app_version ?? '', other)))
    .sort((a, b) => compareVersions(b.version, a.version));
  const [next] = fitting;
  return next === undefined ? { stops } : { next, stops };
}

/** Upgrades never return to an earlier version of the template or of the application. */
const leadsOn = (from: Release, to: Release): boolean =>
  from.app_version != null &&
  to.app_version != null &&
  compareVersions(to.version, from.version) > 0 &&
  compareApps(to.app_version, from.app_version) > 0;
