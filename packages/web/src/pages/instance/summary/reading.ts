import type { InstanceReading } from '@hortus/contract/resources/metrics';
import { useEffect, useState } from 'react';
import { client } from '../../../api/client.ts';

/** Readings that are kept: five minutes, by which time the stored ones have arrived. */
const MAX_READINGS = 150;

/** The usage of an instance, about every two seconds while the page is visible, newest last; empty before the first reading. */
export function useReadings(instanceId: string, isRunning: boolean): readonly InstanceReading[] {
  const [readings, setReadings] = useState<readonly InstanceReading[]>([]);
  useEffect(() => {
    setReadings([]);
    if (!isRunning) return undefined;
    let leaving = new AbortController();
    const add = (reading: InstanceReading) => setReadings((known) => [...known, reading].slice(-MAX_READINGS));
    const follow = async () => {
      leaving = new AbortController();
      const stream = client.stream('metrics.instance', { params: { id: instanceId }, signal: leaving.signal });
      // Without a stream the stored values still show; the service says on other reads if it is away.
      try {
        for await (const { event, data } of stream) if (event === 'reading') add(data as InstanceReading);
      } catch {}
    };
    const checked = () => {
      leaving.abort();
      if (document.visibilityState === 'visible') void follow();
    };
    checked();
    document.addEventListener('visibilitychange', checked);
    return () => {
      document.removeEventListener('visibilitychange', checked);
      leaving.abort();
    };
  }, [instanceId, isRunning]);
  return readings;
}
