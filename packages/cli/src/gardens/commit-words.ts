import type { GardenCommit } from '@hortus/contract/resources/garden-source-records';
import { safeLine } from '../output/safe-text.ts';
import { type Style, status } from '../output/status.ts';
import type { Terminal } from '../world/terminal.ts';

const styles: Readonly<Record<GardenCommit['status'], Style>> = {
  found: 'begun',
  planned: 'begun',
  waiting: 'warn',
  approved: 'begun',
  applying: 'begun',
  applied: 'good',
  failed: 'bad',
  rejected: 'still',
  broken: 'bad',
  superseded: 'still',
};

export const commitStatus = (terminal: Terminal, commit: GardenCommit): string =>
  status(terminal, commit.status, styles[commit.status]);

/** Enough characters of an object id to find the commit again. */
export const shortSha = (sha: string): string => sha.slice(0, 10);

/** Such as "3f2a91c0de Add a blog". */
export const commitTitle = ({ sha, subject }: GardenCommit): string => `${shortSha(sha)} ${safeLine(subject)}`.trim();
