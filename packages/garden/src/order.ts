import { findCycle } from '@hortus/template/canonical/start-order';
import type { Garden } from './format.ts';

type WithNeeds = Pick<Garden, 'definitions'>;

const needsOf = ({ definitions = {} }: WithNeeds, uid: string): readonly string[] => definitions[uid]?.needs ?? [];

/** Uids of the definitions that its needs are bound to; they may also be outside the garden. */
export const boundInstances = (bindings: Readonly<Record<string, string>> = {}): string[] =>
  Object.values(bindings).flatMap((target) => (target.startsWith(INSTANCE) ? target.slice(INSTANCE.length) : []));

const INSTANCE = 'instance:';

/** Finds needs that name nothing of this garden, and a cycle if there is one. */
export function findNeedsProblems(garden: WithNeeds): { uid: string; message: string }[] {
  const uids = Object.keys(garden.definitions ?? {});
  const known = new Set(uids);
  const unknown = uids.flatMap((uid) =>
    needsOf(garden, uid)
      .filter((need) => !known.has(need))
      .map((need) => ({ uid, message: `${need} is no definition of this garden` })),
  );
  const before = (uid: string) => [...needsOf(garden, uid), ...boundInstances(garden.definitions?.[uid]?.bindings)];
  const cycle = findCycle(uids, (uid) => before(uid).filter((need) => known.has(need)));
  const [first = ''] = cycle ?? [];
  return [...unknown, ...(cycle ? [{ uid: first, message: `is a cycle: ${cycle.join(' → ')}` }] : [])];
}
