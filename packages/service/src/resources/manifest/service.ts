import type { DeployedImage } from '@hortus/contract/resources/deployment-records';
import type { RegistryLogin, SignedManifest } from '@hortus/contract/resources/manifest';
import type { Manifest } from '@hortus/contract/template/manifest';
import { restoresIntoOn } from '@hortus/template/canonical/dump-restore';
import { redact } from '@hortus/template/masking/redact';
import { manifestContext } from '@hortus/template/sealing/contexts';
import { sealFields } from '@hortus/template/sealing/sealed-fields';
import { iso } from '../../records/time.ts';
import type { Queries } from '../../storage/storage.ts';
import { type DefinitionRow, revisionOf } from '../definitions/public.ts';
import { registriesOf, withPins } from './images.ts';
import { ManifestResolver, type ResolvedManifest, type ResolverDeps } from './resolver.ts';
import type { ManifestSigner } from './signer.ts';

export interface ManifestsDeps extends ResolverDeps {
  readonly signer: ManifestSigner;
  /** Returns the logins of the account for these registries. */
  readonly loginsFor: (queries: Queries, accountId: string, hosts: readonly string[]) => Promise<RegistryLogin[]>;
  /** Whether the daemon of a server keeps the volumes that no dump rebuilds; true if none has connected yet. */
  readonly emptyRestores: (queries: Queries, serverId: string) => Promise<boolean>;
}

/** Server that a manifest is sealed for. */
export interface Recipient {
  /** Null for a server without a pinned key. */
  readonly key: string | null;
  /** Whether registry passwords may be sent there. */
  readonly trusted: boolean;
  /** Keys of the other members of a cluster. */
  readonly others?: readonly string[];
}

/** Context that a manifest is created in. */
export interface Occasion {
  readonly definition: DefinitionRow;
  readonly deploymentId: string | null;
  readonly revision: number;
  readonly now: number;
  /** Whether to pull the images again. */
  readonly renew?: boolean;
  /** Trace of the order, for daemons that understand it. */
  readonly traceParent?: string | undefined;
  /** Of the request; the signature covers it. */
  readonly nonce?: string | undefined;
}

/** Creates signed manifests of definitions, which daemons turn into containers. */
export class Manifests extends ManifestResolver {
  readonly #deps: ManifestsDeps;
  constructor(deps: ManifestsDeps) {
    super(deps);
    this.#deps = deps;
  }

  publicKey(): string {
    return this.#deps.signer.publicKey;
  }

  /** Signs orders to daemons that are not manifests. */
  signOrder<Order extends object>(order: Order): Order & { signature: string } {
    return this.#deps.signer.signOrder(order);
  }

  /**
   * Includes all secrets, sealed if the recipient has a key, and the registry logins to pull the images. A server whose
   * key holder may not export data gets no registry passwords.
   */
  async signed(
    queries: Queries,
    occasion: Occasion,
    pins: readonly DeployedImage[],
    { key, trusted, others }: Recipient,
  ): Promise<SignedManifest> {
    const { signer, loginsFor } = this.#deps;
    const { manifest: resolved, secretPaths, hidden } = await this.#of(queries, occasion);
    const manifest = await this.#withRestore(queries, occasion, withPins(resolved, pins));
    const hosts = trusted ? registriesOf(manifest) : [];
    const registries = await loginsFor(queries, occasion.definition.account_id, hosts);
    const { renew, traceParent, nonce } = occasion;
    const wish = {
      ...(renew && { renew }),
      ...(traceParent !== undefined && { traceparent: traceParent }),
      ...(nonce !== undefined && { nonce }),
    };
    const order = { ...this.#addressed(manifest, occasion), registries, hidden, ...wish };
    if (key === null) return signer.sign(order);
    const logins = registries.flatMap((_, index) => [`/registries/${index}/username`, `/registries/${index}/password`]);
    const values = hidden.map((_, index) => `/hidden/${index}`);
    const pointers = [...secretPaths, ...logins, ...values];
    return signer.sign(sealFields(order, pointers, key, manifestContext(order), others));
  }

  /** For users: secrets are null and there is no signature, so that no daemon accepts it. */
  async readable(queries: Queries, occasion: Occasion): Promise<SignedManifest> {
    const { manifest, secretPaths } = await this.#of(queries, occasion);
    return { ...this.#addressed(redact(manifest, secretPaths), occasion), signature: null };
  }

  async #of(queries: Queries, { definition, revision }: Occasion): Promise<ResolvedManifest> {
    return this.resolveRevision(queries, definition, await revisionOf(queries, definition.id, revision));
  }

  /** Writes where dumps are restored for the daemon of the server, which may be older than the rule. */
  async #withRestore(queries: Queries, { definition, revision }: Occasion, manifest: Manifest): Promise<Manifest> {
    const { backup } = manifest;
    const { server_id, id } = definition;
    if (backup.restore_into !== 'empty' || (await this.#deps.emptyRestores(queries, server_id))) return manifest;
    const { template_id } = await revisionOf(queries, id, revision);
    const restore_into = restoresIntoOn(this.#deps.catalog.known(template_id).spec, false);
    return { ...manifest, backup: { ...backup, restore_into } };
  }

  #addressed(manifest: Manifest, { definition, deploymentId, revision, now }: Occasion) {
    return {
      ...manifest,
      definition_id: definition.id,
      deployment_id: deploymentId,
      instance_uid: definition.instance_uid,
      server_id: definition.server_id,
      revision,
      signed_at: iso(now),
      public_key_id: this.#deps.signer.publicKeyId,
    };
  }
}
