import { findCycle } from '@hortus/template/start-order';
import type { Garden } from './format.ts';

type WithNeeds = Pick<Garden, 'definitions'>;

const needsOf = ({ definitions = {} }: WithNeeds, uid: string): readonly string[] => definitions[uid]?.needs ?? [];

/** Finds needs that name nothing of this garden, and a cycle if there is one. */
export function findNeedsProblems(garden: WithNeeds): { uid: string; message: string }[] {
  const uids = Object.keys(garden.definitions ?? {});
  const known = new Set(uids);
  const unknown = uids.flatMap((uid) =>
    needsOf(garden, uid)
      .filter((need) => !known.has(need))
      .map((need) => ({ uid, message: `${need} is no definition of this garden` })),
  );
  const cycle = findCycle(uids, (uid) => needsOf(garden, uid).filter((need) => known.has(need)));
  const [first = ''] = cycle ?? [];
  return [...unknown, ...(cycle ? [{ uid: first, message: `is a cycle: ${cycle.join(' → ')}` }] : [])];
}
