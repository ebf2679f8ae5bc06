import type { Event } from '@hortus/contract/resources/events';
import { createContext, useContext, useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import type { Live, LiveState } from './live.ts';

export const LiveContext = createContext<Live | undefined>(undefined);

/** Runs a function with every event of the account while the component is shown. */
export function useEvents(listener: (event: Event) => void): void {
  const live = useContext(LiveContext);
  const received = useEffectEvent(listener);
  useEffect(() => live?.onEvent((event) => received(event)), [live]);
}

export function useLiveState(): LiveState {
  const live = useContext(LiveContext);
  return useSyncExternalStore(
    (listener) => live?.onState(listener) ?? (() => {}),
    () => live?.state ?? 'connecting',
  );
}
