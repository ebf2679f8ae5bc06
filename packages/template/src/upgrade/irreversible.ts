import type { Canonical, CanonicalComponent } from '../canonical/canonical-form.ts';
import { volumes } from './components.ts';

/** A change that a rollback to the older version would not undo. */
export interface Irreversible {
  readonly component: string;
  readonly reason: 'job' | 'volume_removed' | 'volume_moved';
  readonly message: string;
}

export function irreversibles(from: Canonical, to: Canonical): Irreversible[] {
  const jobs = Object.entries(to.components)
    .filter(([, { kind, irreversible }]) => kind === 'job' && irreversible)
    .map(([component]): Irreversible => {
      const message = `${component} runs and may change data in a way that the older version cannot read.`;
      return { component, reason: 'job', message };
    });
  const moved = Object.entries(from.components).flatMap(([name, component]) =>
    displaced(name, component, to.components[name]),
  );
  return [...jobs, ...moved];
}

/** Its data stays on the server, but the newer version does not see it at the same path. */
function displaced(name: string, before: CanonicalComponent, after: CanonicalComponent | undefined): Irreversible[] {
  const there = after ? volumes(after) : {};
  return before.storage
    .filter(({ read_only }) => !read_only)
    .flatMap(({ name: volume, mount_path }): Irreversible[] => {
      const now = Object.hasOwn(there, volume) ? there[volume] : undefined;
      if (now === undefined) {
        const message = `The volume ${volume} is not mounted any more; new data is not written to it.`;
        return [{ component: name, reason: 'volume_removed', message }];
      }
      if (now.mount_path === mount_path) return [];
      const message = `The volume ${volume} moves from ${mount_path} to ${now.mount_path}.`;
      return [{ component: name, reason: 'volume_moved', message }];
    });
}
