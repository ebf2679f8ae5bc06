import type { SignedManifest } from '@hortus/contract/resources/manifest';
import type { Journal } from '../journal/journal.ts';
import type { RolloutResult } from '../journal/rollout-result.ts';
import { check } from '../policy/check.ts';
import type { Policy } from '../policy/policy.ts';
import { pinned } from '../pull/digests.ts';
import { acceptManifest, type Expectation } from '../trust/accept-manifest.ts';

export interface AcceptanceOptions {
  journal: Journal;
  policy: Policy;
  /** Public key of the service; while none is pinned, nothing is deployed. */
  publicKey(): Expectation['key'] | undefined;
  serverId(): string;
}

/** Decides which manifests may run here. */
export class Acceptance {
  readonly #options: AcceptanceOptions;

  constructor(options: AcceptanceOptions) {
    this.#options = options;
  }

  /**
   * Returns the manifest if it is authentic, answers the request with this nonce, and is allowed by the policy; otherwise the result of the failed deployment.
   */
  accept(deployment: Expectation['deployment'], response: unknown, nonce: string): SignedManifest | RolloutResult {
    const { journal, publicKey, serverId } = this.#options;
    const key = publicKey();
    if (!key) return failed('signature', 'This daemon has no public key of the service; register the server again.');
    const last = (uid: string) => journal.manifests.of(uid);
    const { privateKey } = journal.keyPair;
    const accepted = acceptManifest(response, { key, privateKey, serverId: serverId(), nonce, deployment, last });
    if (!accepted.ok) return failed(accepted.rule, `Refused: ${accepted.message}.`);
    return this.refusal(accepted.manifest) ?? accepted.manifest;
  }

  /** Checks an accepted manifest against the policy, which the operator may have tightened since. */
  refusal(manifest: SignedManifest): RolloutResult | undefined {
    const refusals = check(manifest, this.#options.policy);
    if (refusals.length === 0) return undefined;
    const list = refusals.map(
      ({ rule, component, message }) => `${component ? `${component}: ` : ''}${message} (rule ${rule})`,
    );
    return failed('refused', `Refused by the policy of this server: ${list.join('; ')}.`);
  }

  /**
   * Returns the manifest for healing: the deployed one, with its image digests and secret values, because the
   * definition may have newer values that are not deployed yet. Registry logins are the current ones.
   */
  asDeployed(accepted: SignedManifest): SignedManifest {
    const { manifests } = this.#options.journal;
    const kept = manifests.of(accepted.instance_uid);
    if (kept?.revision !== accepted.revision || kept.definition_id !== accepted.definition_id) return accepted;
    const { registries = [], traceparent } = accepted;
    const { traceparent: _, ...deployed } = pinned(kept, manifests.imagesOf(kept.instance_uid));
    return { ...deployed, registries, ...(traceparent !== undefined && { traceparent }) };
  }
}

export function failed(reason: string, error: string): RolloutResult {
  return { status: 'failed', reason, error, components: [] };
}
