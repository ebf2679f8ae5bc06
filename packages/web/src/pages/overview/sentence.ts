import type { Overview } from '@hortus/contract/resources/overview';
import { counted } from '../../parts/amount.ts';

const WORDS = ['Nothing', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine'];

/** The overview as a person would say it: what there is, and whether it needs attention. */
export function sentenceOf({ counts }: Overview, troubles: number): [string, string] {
  const parts = [
    counts.instances === null ? undefined : counted(counts.instances, 'instance'),
    counts.servers === null ? undefined : `on ${counted(counts.servers, 'server')}`,
  ];
  const first = `${parts.filter(Boolean).join(' ') || 'Signed in'}.`;
  const number = WORDS[troubles] ?? troubles.toLocaleString();
  return [first, `${number} ${troubles > 1 ? 'need' : 'needs'} you.`];
}
