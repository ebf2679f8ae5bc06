import type { ImageReference } from '@hortus/contract/template/image';
import { repositoryOf } from '../notation/image-reference.ts';
import { USUAL_PARTS, versionParts } from './version-parts.ts';

/** A version at the beginning of a tag: `v2.10` in `v2.10-alpine`. */
const VERSION = /^v?(\d{1,20}(?:\.\d{1,20}){0,9})(?![\d.]|[a-z]\w{0,127}\.)/;
/** What makes a suffix name one build: a date such as `-20250918`, or the count of builds of linuxserver.io. */
const BUILD = /[-_.](?:20\d{6}|\d{4}-\d{2}-\d{2}|ls\d{1,12})(?![\da-z])/;
/** Dates as they are used for versions: 250321, 20250321, 2026-04-17, 2026.8.1. */
const DATE = /^v?(?:\d{6}|\d{8}|20\d\d-\d\d-\d\d\w?|20\d\d\.\d+\.\d+)(?!\d)/;

/**
 * Returns the version that a tag names incompletely, such as `10.11` of 10.11.14: the tag moves with each release of that line.
 * Undefined for complete versions, dates, build numbers, tags that start with a word, and images pinned by a digest.
 */
export function halfFloating({ repository, tag, digest }: ImageReference): string | undefined {
  if (digest !== undefined || tag === undefined || DATE.test(tag) || BUILD.test(tag)) return undefined;
  const version = VERSION.exec(tag)?.[1];
  if (version === undefined) return undefined;
  const parts = version.split('.');
  if (isBuildNumber(parts[0] as string)) return undefined;
  return parts.length < (versionParts[repositoryOf(repository)]?.parts ?? USUAL_PARTS) ? version : undefined;
}

/** Large numbers count builds or start with year and month, such as 2607.5; years of four digits do not. */
const isBuildNumber = (first: string): boolean => Number(first) >= 1000 && !/^20\d\d$/.test(first);
