import { type Capability, capabilityNames } from '@hortus/contract/channel/channel';

/** Shared sets for daemons with equal capabilities, to save memory with ten thousand connections. */
const sets = new Map<string, ReadonlySet<Capability>>();

/** Returns the requested capabilities that are supported. */
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
