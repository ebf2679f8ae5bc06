import type { GardenCommit } from '@hortus/contract/resources/garden-source-records';

/** Control characters, and characters that change the writing direction of what follows. */
const harmful = /\p{Cc}|\p{Bidi_Control}|[\u2028\u2029]/gu;

/** Text of a stranger: it cannot reorder or hide what stands beside it. */
export const harmless = (text: string): string => text.replace(harmful, '');

export const shortSha = (sha: string): string => sha.slice(0, 10);

/** The subject of a commit, or its short id if it has none. */
export const subjectOf = ({ subject, sha }: GardenCommit): string => harmless(subject).trim() || shortSha(sha);
