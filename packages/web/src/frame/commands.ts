import { useEffect, useSyncExternalStore } from 'react';

/** Something that the palette can do, under "Do". */
export interface Command {
  readonly name: string;
  readonly run: () => void;
}

let offered: readonly (readonly Command[])[] = [];
const listeners = new Set<() => void>();

function set(changed: readonly (readonly Command[])[]): void {
  offered = changed;
  for (const listener of listeners) listener();
}

/**
 * Offers commands in the palette while a page is shown, for example "Restart orders-db". Give the same array until it
 * changes (useMemo), and only what the person may do.
 */
export function useCommands(commands: readonly Command[]): void {
  useEffect(() => {
    set([...offered, commands]);
    return () => set(offered.filter((array) => array !== commands));
  }, [commands]);
}

export function useOfferedCommands(): readonly Command[] {
  const all = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => offered,
  );
  return all.flat();
}
