import { type Capability, capabilityNames } from '@hortus/contract/channel';

/** One set for all daemons that asked for the same: ten thousand connections need not keep ten thousand. */
const sets = new Map<string, ReadonlySet<Capability>>();

/** Those of the wished for that are known here. */
export function capabilitiesOf(wished: readonly string[] = []): ReadonlySet<Capability> {
  const known = capabilityNames.filter((name) => wished.includes(name));
  const key = known.join();
  let set = sets.get(key);
  if (!set) {
    set = new Set(known);
    sets.set(key, set);
  }
  return set;
}
