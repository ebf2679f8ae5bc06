import type { InstanceReading } from '@hortus/contract/resources/metrics';
import { useEffect, useState } from 'react';
import { client } from '../../../api/client.ts';

/** The usage of an instance now, about every two seconds while the page is visible; undefined before the first reading. */
export function useReading(instanceId: string, isRunning: boolean): InstanceReading | undefined {
  const [reading, setReading] = useState<InstanceReading>();
  useEffect(() => {
    setReading(undefined);
    if (!isRunning) return undefined;
    let leaving = new AbortController();
    const follow = async () => {
      leaving = new AbortController();
      const stream = client.stream('metrics.instance', { params: { id: instanceId }, signal: leaving.signal });
      // Without a stream the stored values still show; the service says on other reads if it is away.
      try {
        for await (const { event, data } of stream) if (event === 'reading') setReading(data as InstanceReading);
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
  return reading;
}
