import type { Bundle, Export, ExportOrder } from '@hortus/contract/resources/imports';
import type { Transfer } from '@hortus/contract/resources/transfers';
import type { Manifest } from '@hortus/contract/template/manifest';
import { actorOf, type Principal } from '../../identity/principal.ts';
import type { JobKind } from '../../jobs/job.ts';
import { rowJob } from '../../jobs/row-job.ts';
import { waker } from '../../jobs/wake.ts';
import { append } from '../../outbox/append.ts';
import { conflict, invalid, notFound, Problem } from '../../problem.ts';
import { iso } from '../../records/time.ts';
import type { Queries, Storage, Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Backups } from '../backups/public.ts';
import { backupSettings, findDefinition, revisionOf, secretValues } from '../definitions/public.ts';
import { hostPathsOf, volumesOf } from '../migrations/public.ts';
import type { ServerState } from '../servers/public.ts';
import type { Catalog } from '../templates/public.ts';
import { type Transfers, transferRecord } from '../transfers/public.ts';
import { requireCarrier } from './carrier.ts';

/** One job per volume that a client downloads. */
export const FETCH = 'bundle.fetch';

const wakeFetch = waker(FETCH);

/** A client that is silent for this long is considered gone. */
const SILENCE_MS = 2 * 60_000;

export interface ExportsDeps {
  readonly storage: Storage;
  readonly vault: Vault;
  readonly catalog: Pick<Catalog, 'known'>;
  readonly backups: Pick<Backups, 'completed'>;
  readonly transfers: Pick<Transfers, 'order' | 'hold' | 'cancel'>;
  readonly server: (queries: Queries, accountId: string, id: string) => Promise<ServerState | undefined>;
  readonly manifest: (queries: Queries, accountId: string, definitionId: string, revision: number) => Promise<Manifest>;
  /** HORTUS_ALLOW_PLAINTEXT_MANIFEST: allows responses with secrets without TLS. */
  readonly allowPlaintext: boolean;
}

/** Exports definitions: everything but volume content in one response, then volume by volume. */
export class Exports {
  readonly #deps: ExportsDeps;
  constructor(deps: ExportsDeps) {
    this.#deps = deps;
  }

  /** In a transaction, because handing out secrets is recorded in the audit list. */
  async export(tx: Tx, principal: Principal, id: string, order: ExportOrder, secure: boolean): Promise<Export> {
    const { vault, catalog, allowPlaintext } = this.#deps;
    const { accountId } = principal;
    const definition = await findDefinition(tx, accountId, id);
    if (!definition) throw notFound('definition');
    if (!secure && !allowPlaintext) throw plaintext();
    const backup = order.backup_id === undefined ? undefined : await this.#backup(tx, principal, id, order.backup_id);
    const number = backup?.manifest.revision ?? definition.current_revision;
    const revision = await revisionOf(tx, id, number);
    const { item, spec } = catalog.known(revision.template_id);
    const manifest = await this.#deps.manifest(tx, accountId, id, number);
    const secrets = await secretValues(tx, vault, { accountId, definitionId: id });
    const bundle: Bundle = {
      format: 1,
      name: definition.name,
      instance_uid: definition.instance_uid,
      template: {
        species: item.species,
        version: item.version,
        spec_hash: item.spec_hash,
        spec: { ...spec } as Record<string, unknown>,
      },
      revision: number,
      profile: revision.profile,
      variant: revision.variant,
      inputs: JSON.parse(revision.inputs),
      watch_seconds: definition.watch_seconds,
      heal: definition.heal === 1,
      backup: backupSettings(definition),
      secrets: secrets.map(({ name, kind, value }) => ({ name, kind, value })),
      volumes: volumesIn(manifest, backup?.manifest.parts, definition.succeeded_at !== null),
      exported_at: iso(tx.now),
    };
    const backup_id = backup?.row.id ?? null;
    await append(tx, {
      type: 'audit.definition_exported',
      accountId,
      resourceType: 'definition',
      resourceId: id,
      actor: actorOf(principal),
      data: { definition_id: id, revision: number, backup_id, secrets: secrets.map(({ name }) => name) },
    });
    const warnings = hostPathsOf(manifest).map(
      (path) => `The definition uses the host path ${path}; its content is not exported.`,
    );
    return { bundle, backup_id, warnings };
  }

  async fetch(tx: Tx, principal: Principal, backupId: string, volume: string): Promise<Transfer> {
    const { backups, transfers, server } = this.#deps;
    const { accountId } = principal;
    const { row, manifest } = await backups.completed(tx, accountId, backupId);
    if (!manifest.parts.some(({ kind, name }) => kind === 'volume' && name === volume))
      throw invalid('volume', `the backup has no volume ${volume}.`, { reason: 'unknown' });
    requireCarrier(await server(tx, accountId, row.server_id), 'id');
    const { definition_id, server_id: from_server_id } = row;
    // The daemon stores the backup under the name that it reported.
    const { instance_uid } = manifest;
    const what = { definition_id, instance_uid, storage: volume, volume, backup_id: backupId, from_server_id };
    const actor = actorOf(principal);
    const transfer = await transfers.order(tx, { account_id: accountId, mode: 'fetch', ...what }, actor);
    const data = { backup_id: backupId, definition_id, volume, transfer_id: transfer.id };
    const of = { accountId, resourceType: 'backup', resourceId: backupId, actor, data } as const;
    await append(tx, { type: 'audit.backup_fetched', ...of });
    await wakeFetch(tx, transfer.id, tx.now + SILENCE_MS);
    return transferRecord(transfer);
  }

  /** Ends transfers of clients that are gone; the daemon would otherwise wait forever. */
  job(): JobKind {
    const { storage, transfers } = this.#deps;
    return rowJob({
      storage,
      lock: (tx, id) => transfers.hold(tx, id),
      isOver: ({ ended }) => ended,
      async advance(tx, { id, updated_at }) {
        const dueAt = updated_at + SILENCE_MS;
        if (dueAt > tx.now) return dueAt;
        await transfers.cancel(tx, id, null);
        return undefined;
      },
    });
  }

  async #backup(tx: Tx, { accountId }: Principal, definitionId: string, backupId: string) {
    const backup = await this.#deps.backups.completed(tx, accountId, backupId, 'backup_id');
    if (backup.row.definition_id !== definitionId)
      throw invalid('backup_id', 'is a backup of another definition.', { reason: 'other_definition' });
    return backup;
  }
}

interface Part {
  readonly kind: string;
  readonly name: string;
  readonly bytes: number;
}

/** Requires a backup with the content of all volumes; one with a dump instead is refused. */
function volumesIn(manifest: Manifest, parts: readonly Part[] | undefined, deployed: boolean): Bundle['volumes'] {
  const names = volumesOf(manifest).map(({ storage }) => storage);
  if (names.length === 0 || (parts === undefined && !deployed)) return [];
  if (parts === undefined)
    throw conflict(
      'backup_id',
      'required',
      `the definition has volumes (${names.join(', ')}); give a backup that contains all of them.`,
    );
  const kept = parts.filter(({ kind }) => kind === 'volume');
  const missing = names.filter((name) => !kept.some((part) => part.name === name));
  if (missing.length > 0)
    throw conflict('backup_id', 'incomplete', `the backup does not have the volume ${missing.join(', ')}.`, {
      missing,
    });
  return kept.filter(({ name }) => names.includes(name)).map(({ name, bytes }) => ({ name, bytes }));
}

const plaintext = () =>
  new Problem(
    'FORBIDDEN',
    'An export contains secrets and is only sent over TLS or on the same machine. Use https, or set HORTUS_ALLOW_PLAINTEXT_MANIFEST for a closed network.',
    { reason: 'plaintext' },
  );
