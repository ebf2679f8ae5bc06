import type { DefinitionCreate } from '@hortus/contract/resources/definitions';
import type { DeploymentPreview } from '@hortus/contract/resources/plan-records';
import { useEffect, useState } from 'react';
import { client } from '../../../api/client.ts';

/** Long enough to ask once per word, short enough to feel immediate. */
const PAUSE_MS = 400;

export interface Preview {
  readonly plan: DeploymentPreview | undefined;
  readonly error: unknown;
  /** Whether the plan is of earlier values. */
  readonly isStale: boolean;
}

/**
 * Asks what a deployment would do, once the values have not changed for a moment. Kept here and not in the cache of
 * reads, because the values may be passwords. Without a body nothing is asked.
 */
export function usePreview(body: DefinitionCreate | undefined): Preview {
  const [response, setResponse] = useState<{ key: string; plan?: DeploymentPreview; error?: unknown }>();
  const key = body === undefined ? undefined : JSON.stringify(body);
  useEffect(() => {
    if (key === undefined) return undefined;
    const leaving = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const { data } = await client.call('deployments.preview', { body: JSON.parse(key), signal: leaving.signal });
        setResponse({ key, plan: data });
      } catch (error) {
        if (!leaving.signal.aborted)
          setResponse((before) => ({ ...(before?.plan && { plan: before.plan }), key, error }));
      }
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [key]);
  return {
    plan: response?.plan,
    error: response?.key === key ? response?.error : undefined,
    isStale: response?.key !== key || response?.error !== undefined,
  };
}
