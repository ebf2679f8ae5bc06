import type { DaemonUpdate } from '@hortus/contract/resources/daemon-updates';

const sum = ({ stages }: DaemonUpdate, of: 'servers' | 'done' | 'failed'): number =>
  stages.reduce((total, stage) => total + stage[of], 0);

/** Such as "3 of 8 done, 1 failed". */
export function progressOf(update: DaemonUpdate): string {
  const failed = sum(update, 'failed');
  return `${sum(update, 'done')} of ${sum(update, 'servers')} done${failed > 0 ? `, ${failed} failed` : ''}`;
}
