import { compareVersions } from '../notation/version-order.ts';

/** Orders versions of an application; a leading v or name is ignored. */
export const compareApps = (a: string, b: string): number => compareVersions(numbered(a), numbered(b));

const numbered = (version: string): string => version.replace(/^[^0-9]*/, '');

/** Whether a version is a release of a line: 33.0.6 of 33 and of 33.0, not of 3. */
export function isReleaseOf(version: string, line: string): boolean {
  const own = numbersOf(version);
  return numbersOf(line).every((number, index) => own[index] === number);
}

const numbersOf = (version: string): number[] =>
  (/^\d+(\.\d+)*/.exec(numbered(version))?.[0] ?? '').split('.').map(Number);

const isBefore = (version: string, line: string): boolean =>
  compareApps(version, line) < 0 && !isReleaseOf(version, line);

const isAfter = (version: string, line: string): boolean =>
  compareApps(version, line) > 0 && !isReleaseOf(version, line);

/** Whether an upgrade passes a line without stopping at one of its releases. An unknown start counts as before it. */
export const skips = (from: string | undefined, to: string, line: string): boolean =>
  (from === undefined || isBefore(from, line)) && isAfter(to, line);

/** Whether an upgrade stops at a release of a line, or passes it. */
export const reaches = (from: string | undefined, to: string, line: string): boolean =>
  (from === undefined || isBefore(from, line)) && !isBefore(to, line);
