import type { SignedManifest } from '@hortus/contract/resources/manifest';
import { span, traceParent } from '@hortus/tracing/span';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { append } from '../../outbox/append.ts';
import { invalid, notFound, Problem } from '../../problem.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Row } from '../../storage/tables.ts';
import { type DefinitionRow, definitionByUid, findDefinition } from '../definitions/public.ts';
import { pinsOf } from './images.ts';
import type { Manifests, Occasion, Recipient } from './service.ts';

type Deployment = Pick<
  Row<'deployments'>,
  'id' | 'definition_id' | 'server_id' | 'revision' | 'kind' | 'images' | 'trace_parent'
>;

export interface ManifestReadingDeps {
  readonly manifests: Manifests;
  /** HORTUS_ALLOW_PLAINTEXT_MANIFEST: the network between service and daemons is closed. */
  readonly allowPlaintext: boolean;
  /** Finds a deployment that the caller may see. */
  readonly deployment: (queries: Queries, principal: Principal, id: string) => Promise<Deployment | undefined>;
  /** Finds the definition of an instance of any account. */
  readonly definitionOf: (queries: Queries, instanceId: string) => Promise<string | undefined>;
  /** Finds the first unfinished deployment of a definition. */
  readonly underWay: (queries: Queries, definitionId: string) => Promise<Deployment | undefined>;
  /** Pins the first key that a server presents; records a different one. */
  readonly introduce: (serverId: string, shown: string | null) => Promise<void>;
  /** Returns the key to seal secrets for; throws if the request lacks the pinned key. */
  readonly recipient: (tx: Tx, serverId: string, shown: string | null) => Promise<Recipient>;
  /** Whether the daemon of a server understands traces. */
  readonly traces: (queries: Queries, serverId: string) => Promise<boolean>;
}

export interface ManifestQuery {
  readonly definition_id?: string;
  readonly instance_uid?: string;
  readonly instance_id?: string;
  readonly deployment_id?: string;
  /** Key of the requesting daemon. */
  readonly sealing_key?: string;
  readonly nonce?: string;
}

/** Decides who may read which manifest. */
export class ManifestReading {
  readonly #deps: ManifestReadingDeps;
  constructor(deps: ManifestReadingDeps) {
    this.#deps = deps;
  }

  /** Call before `forDaemon`, whose transaction is rolled back on refusal. */
  async introduce(principal: Principal, { sealing_key }: ManifestQuery): Promise<void> {
    // Members of a cluster are introduced when they connect, each with its own key.
    if (principal.kind === 'server' && principal.memberId === undefined)
      await this.#deps.introduce(principal.serverId, sealing_key ?? null);
  }

  /** In a transaction, because handing out secrets is recorded in the audit list. */
  async forDaemon(tx: Tx, principal: Principal, query: ManifestQuery, secure: boolean): Promise<SignedManifest> {
    const { manifests, underWay, allowPlaintext } = this.#deps;
    const named = await this.#find(tx, principal, query);
    if (!secure && !allowPlaintext) throw plaintext();
    const { definition } = named;
    const recipient = await this.#deps.recipient(tx, definition.server_id, query.sealing_key ?? null);
    const deployment = named.deployment ?? (await underWay(tx, definition.id));
    const revision = deployment?.revision ?? definition.current_revision;
    const deploymentId = deployment?.id ?? null;
    const renew = deployment?.kind === 'renew';
    const pins = deployment ? pinsOf(deployment) : [];
    const occasion = { definition, deploymentId, revision, now: tx.now, renew, nonce: query.nonce };
    const manifest = await this.#handOver(tx, deployment, occasion, (traced) =>
      manifests.signed(tx, traced, pins, recipient),
    );
    await append(tx, {
      type: 'audit.manifest_read',
      accountId: definition.account_id,
      resourceType: 'definition',
      resourceId: definition.id,
      actor: actorOf(principal),
      data: {
        definition_id: definition.id,
        deployment_id: deploymentId,
        revision,
        server_id: definition.server_id,
        sealed: recipient.key !== null,
      },
    });
    return manifest;
  }

  /** Continues the trace of the order, and hands it to the daemon. */
  async #handOver(
    tx: Tx,
    deployment: Deployment | undefined,
    occasion: Occasion,
    sign: (occasion: Occasion) => Promise<SignedManifest>,
  ): Promise<SignedManifest> {
    const parent = deployment?.trace_parent ?? null;
    if (!deployment || parent === null || !(await this.#deps.traces(tx, deployment.server_id))) return sign(occasion);
    const attributes = { 'hortus.deployment_id': deployment.id, 'hortus.server_id': deployment.server_id };
    return span('deployment handover', { kind: 'producer', parent, attributes }, () =>
      sign({ ...occasion, traceParent: traceParent() ?? parent }),
    );
  }

  async forPerson(
    queries: Queries,
    principal: Principal,
    query: ManifestQuery,
    now = Date.now(),
  ): Promise<SignedManifest> {
    const { definition, deployment } = await this.#find(queries, principal, query);
    const revision = deployment?.revision ?? definition.current_revision;
    const occasion = { definition, deploymentId: deployment?.id ?? null, revision, now };
    return await this.#deps.manifests.readable(queries, occasion);
  }

  async #find(
    queries: Queries,
    principal: Principal,
    query: ManifestQuery,
  ): Promise<{ definition: DefinitionRow; deployment: Deployment | undefined }> {
    const { accountId } = principal;
    const { definition_id, instance_uid = '', instance_id, deployment_id } = query;
    const input = [definition_id, query.instance_uid, instance_id, deployment_id].filter((name) => name !== undefined);
    if (input.length !== 1)
      throw invalid('definition_id', 'give one of definition_id, instance_uid, instance_id, deployment_id.');
    let deployment: Deployment | undefined;
    if (deployment_id !== undefined) {
      deployment = await this.#deps.deployment(queries, principal, deployment_id);
      if (!deployment) throw notFound('deployment');
    }
    const ofInstance = instance_id && (await this.#deps.definitionOf(queries, instance_id));
    if (instance_id !== undefined && !ofInstance) throw notFound('instance');
    const id = deployment?.definition_id ?? ofInstance ?? definition_id;
    const definition = await (id === undefined
      ? definitionByUid(queries, accountId, instance_uid)
      : findDefinition(queries, accountId, id));
    // A daemon sees only definitions of its own server, or being deployed there.
    const server_id = deployment?.server_id ?? definition?.server_id;
    const hidden = principal.kind === 'server' && server_id !== principal.serverId;
    if (!definition || server_id === undefined || hidden) throw notFound('definition');
    return { definition: { ...definition, server_id }, deployment };
  }
}

const plaintext = () =>
  new Problem(
    'FORBIDDEN',
    'A manifest contains secrets and is only sent over TLS or on the same machine. Use https, or set HORTUS_ALLOW_PLAINTEXT_MANIFEST for a closed network.',
    { reason: 'plaintext' },
  );
