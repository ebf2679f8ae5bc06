import type { SignedManifest } from '@hortus/contract/resources/manifest';
import type { Journal } from '../journal/journal.ts';
import { check } from '../policy/check.ts';
import type { Policy } from '../policy/policy.ts';
import { pinned } from '../pull/digests.ts';
import type { RolloutResult } from '../rollout/rollout.ts';
import { acceptManifest, type Expectation } from '../trust/accept-manifest.ts';

export interface AcceptanceOptions {
  journal: Journal;
  policy: Policy;
  /** Of the service; undefined as long as none is pinned, and then nothing is deployed. */
  publicKey(): Expectation['key'] | undefined;
  serverId(): string;
}

/** Which manifests are carried out here. */
export class Acceptance {
  readonly #options: AcceptanceOptions;

  constructor(options: AcceptanceOptions) {
    this.#options = options;
  }

  /** The manifest, if it is the one that was ordered and the policy allows it; otherwise how the deployment ends. */
  accept(deployment: Expectation['deployment'], answer: unknown): SignedManifest | RolloutResult {
    const { journal, publicKey, serverId } = this.#options;
    const key = publicKey();
    if (!key) return failed('signature', 'This daemon knows no public key of the service; register the server again.');
    const last = (uid: string) => journal.manifests.of(uid);
    const { privateKey } = journal.keyPair;
    const accepted = acceptManifest(answer, { key, privateKey, serverId: serverId(), deployment, last });
    if (!accepted.ok) return failed(accepted.rule, `Refused: ${accepted.message}.`);
    return this.refusal(accepted.manifest) ?? accepted.manifest;
  }

  /** What the policy has against a manifest that was accepted once: the operator may allow less since. */
  refusal(manifest: SignedManifest): RolloutResult | undefined {
    const refusals = check(manifest, this.#options.policy);
    if (refusals.length === 0) return undefined;
    const list = refusals.map(
      ({ rule, component, message }) => `${component ? `${component}: ` : ''}${message} (rule ${rule})`,
    );
    return failed('refused', `Refused by the policy of this server: ${list.join('; ')}.`);
  }

  /**
   * Healing brings back what was rolled out, to the byte and with the secret values of then: somebody may have given the
   * definition new ones that nobody has deployed yet. How to sign in to registries may have changed since.
   */
  asDeployed(accepted: SignedManifest): SignedManifest {
    const { manifests } = this.#options.journal;
    const kept = manifests.of(accepted.instance_uid);
    if (kept?.revision !== accepted.revision || kept.definition_id !== accepted.definition_id) return accepted;
    return { ...pinned(kept, manifests.imagesOf(kept.instance_uid)), registries: accepted.registries ?? [] };
  }
}

export function failed(reason: string, error: string): RolloutResult {
  return { status: 'failed', reason, error, components: [] };
}
