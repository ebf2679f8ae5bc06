import { setTimeout as sleep } from 'node:timers/promises';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import { isRefusal, type Service } from '../link/service.ts';
import type { Expectation } from '../trust/accept-manifest.ts';
import { requestNonce } from '../trust/request-nonce.ts';
import type { Acceptance } from './acceptance.ts';

export interface OrderedManifestDeps {
  service: Service;
  acceptance: Acceptance;
  /** Public key of this daemon, to which secrets are sealed. */
  sealingKey: string;
}

const RETRY_MS = 2_000;

/**
 * Fetches the manifest of a deployment that has not started, for actions that precede it. It must be acceptable here.
 * Waits for an unreachable service.
 */
export async function orderedManifest(
  { service, acceptance, sealingKey }: OrderedManifestDeps,
  deployment: Expectation['deployment'],
  signal: AbortSignal,
): Promise<SignedManifest> {
  for (;;) {
    signal.throwIfAborted();
    try {
      const nonce = requestNonce();
      const { data } = await service.call('manifest.read', {
        query: { deployment_id: deployment.id, sealing_key: sealingKey, nonce },
      });
      const accepted = acceptance.accept(deployment, data, nonce);
      if ('status' in accepted) throw new Refused(accepted.error);
      return accepted;
    } catch (error) {
      if (error instanceof Refused || isRefusal(error)) throw error;
      await sleep(RETRY_MS, undefined, { signal });
    }
  }
}

class Refused extends Error {}
