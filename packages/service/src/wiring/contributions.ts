import type { JobKind } from '../jobs/job.ts';
import type { EventSubscriber } from '../outbox/dispatcher.ts';
import type { Contribution, Resource } from '../resource.ts';
import { resources } from './all-resources.ts';
import type { Services } from './services.ts';

/** The resources without their individual types, for parts that all of them declare alike. */
export const declared: readonly Resource<Services>[] = Object.values(resources);

export const subscribers: readonly EventSubscriber[] = declared.flatMap((resource) => resource.subscribers ?? []);

/** Hands every resource its dependencies and merges what they contribute. */
export function contributionsOf(services: Services) {
  const all = Object.values(resources).map(({ wire }) => wire(services));
  const alike: readonly Contribution[] = all;
  return {
    // Typed by the rows that they answer, so that a row without a handler does not compile.
    handlers: merge(all.map(({ handlers }) => handlers)),
    liveHandlers: merge(all.flatMap((item) => ('liveHandlers' in item ? [item.liveHandlers] : []))),
    rawRoutes: alike.flatMap(({ rawRoutes }) => rawRoutes ?? []),
    jobs: merge<Readonly<Record<string, JobKind>>>(alike.flatMap(({ jobs }) => (jobs ? [jobs] : []))),
  };
}

/** Turns a union of objects into the object that has the properties of all of them. */
type Merged<Part> = (Part extends unknown ? (part: Part) => void : never) extends (all: infer All) => void
  ? All
  : never;

function merge<Part extends object>(parts: readonly Part[]): Merged<Part> {
  const entries = parts.flatMap((part) => Object.entries(part));
  const names = entries.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`Two resources contribute ${twice}.`);
  return Object.fromEntries(entries) as Merged<Part>;
}
