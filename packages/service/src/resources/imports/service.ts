import type { Import, ImportOrder } from '@hortus/contract/resources/imports';
import type { Transfer } from '@hortus/contract/resources/transfers';
import type { Manifest } from '@hortus/contract/template/manifest';
import { actorOf, type Principal, requirePermission } from '../../identity/principal.ts';
import type { JobKind } from '../../jobs/job.ts';
import { conflict, invalid, notFound, Problem } from '../../problem.ts';
import { newId } from '../../records/ids.ts';
import { begin } from '../../state/transition.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Queries, Storage, Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import { requireFit } from '../capacity/public.ts';
import type { Definitions, Order } from '../definitions/public.ts';
import type { Deployments } from '../deployments/public.ts';
import { volumesOf } from '../migrations/public.ts';
import type { ServerState } from '../servers/public.ts';
import { type TransferRow, type Transfers, transferRecord } from '../transfers/public.ts';
import { requireCarrier } from './carrier.ts';
import { audit, fail } from './ending.ts';
import { importJob, sealingContext, wakeImport } from './job.ts';
import { importLifecycle } from './lifecycle.ts';
import { orderOf } from './order.ts';
import { type ImportVolume, importRecord, volumesIn } from './record.ts';
import { findImport, type ImportFilter, type ImportRow, importList, lockImport, noteProgress } from './store.ts';
import { type Found, findTemplate, settleTemplate, type TakeBackDeps, type TemplatesDeps } from './template.ts';

export interface ImportsDeps extends TemplatesDeps, TakeBackDeps {
  readonly storage: Storage;
  readonly pages: Pages;
  readonly vault: Vault;
  readonly definitions: Pick<Definitions, 'create'>;
  readonly deployments: Pick<Deployments, 'execute'>;
  readonly transfers: Transfers;
  readonly server: (queries: Queries, accountId: string, id: string) => Promise<ServerState | undefined>;
  readonly manifest: (queries: Queries, accountId: string, definitionId: string, revision: number) => Promise<Manifest>;
  readonly diskFree: (queries: Queries, accountId: string, serverId: string) => Promise<number | null>;
}

/** A validated request, before its transaction. */
export interface Prepared {
  readonly order: Order;
  readonly found: Found;
  readonly body: ImportOrder;
  /**
   * Or the Problem to refuse it with: a repeated request must get its first response although the name is now taken.
   */
  readonly volumes: readonly ImportVolume[] | Problem;
  /** Name on the server that the volumes are created for. */
  readonly containerName: string | null;
}

/** Imports definitions: checks everything, receives the volumes, and only then creates and deploys the definition. */
export class Imports {
  readonly #deps: ImportsDeps;
  constructor(deps: ImportsDeps) {
    this.#deps = deps;
  }

  async prepare(principal: Principal, body: ImportOrder): Promise<Prepared> {
    const { storage, server, work } = this.#deps;
    const { bundle, server_id } = body;
    requirePermission(principal, 'deployments:execute');
    const serverState = await server(storage.reader, principal.accountId, server_id);
    if (!serverState) throw invalid('server_id', 'there is no such server.', { reason: 'unknown' });
    if (serverState.status === 'disabled' || serverState.status === 'draining')
      throw conflict('server_id', serverState.status, `the server is ${serverState.status} and takes no new work.`);
    if (bundle.volumes.length > 0) requireCarrier(serverState, 'server_id');
    const found = await findTemplate(this.#deps, principal, bundle);
    const order = await orderOf({ reader: storage.reader, work }, bundle, found.template, {
      definitionId: newId('definition'),
      serverId: server_id,
      name: body.instance_uid ?? bundle.name,
      instanceUid: body.instance_uid ?? bundle.instance_uid,
    });
    try {
      const manifest = await this.#rehearse(principal, found, order, body);
      requireFit(manifest, serverState.fingerprint);
      const containerName = manifest.instance.uid;
      return { order, found, body, containerName, volumes: await this.#volumes(principal, body, manifest) };
    } catch (error) {
      if (error instanceof Problem) return { order, found, body, containerName: null, volumes: error };
      throw error;
    }
  }

  async begin(tx: Tx, principal: Principal, { order, found, body, volumes, containerName }: Prepared): Promise<Import> {
    if (volumes instanceof Problem) throw volumes;
    const { accountId } = principal;
    const id = newId('import');
    const isNew = await settleTemplate(this.#deps, tx, principal, found);
    const row = await begin(
      tx,
      importLifecycle,
      {
        id,
        account_id: accountId,
        server_id: body.server_id,
        definition_id: order.id ?? newId('definition'),
        name: order.name,
        instance_uid: order.instanceUid,
        container_name: containerName,
        species: order.template.item.species,
        template_id: order.template.item.id,
        brought_template: isNew ? 1 : 0,
        bundle: await this.#deps.vault.encrypt(tx, accountId, JSON.stringify(body.bundle), sealingContext(id)),
        volumes: JSON.stringify(volumes),
        ignore_capacity: body.ignore_capacity ? 1 : 0,
        reason: null,
        error: null,
        deployment_id: null,
        progress_at: tx.now,
        created_by: actorOf(principal),
        created_at: tx.now,
        updated_at: tx.now,
        finished_at: null,
      },
      'order',
      actorOf(principal),
      () => conflict('instance_uid', 'taken', `${order.instanceUid} is being imported already.`),
    );
    await audit(tx, 'audit.import_ordered', row, actorOf(principal));
    await wakeImport(tx, id);
    return importRecord(row, []);
  }

  async list(filter: ImportFilter, request: PageRequest): Promise<Page<Import>> {
    const { storage, pages, transfers } = this.#deps;
    const { reader } = storage;
    const page = await pages.read(request, importList(reader, filter));
    const data: Import[] = [];
    for (const row of page.data) data.push(importRecord(row, await transfers.ofImport(reader, row.id)));
    return { ...page, data };
  }

  async read({ accountId }: Principal, id: string): Promise<Import> {
    const { storage, transfers } = this.#deps;
    const row = await findImport(storage.reader, accountId, id);
    if (!row) throw notFound('import');
    return importRecord(row, await transfers.ofImport(storage.reader, id));
  }

  /** Starts the transfer of one volume; the client sends them one after another. */
  async fill(tx: Tx, principal: Principal, id: string, name: string): Promise<Transfer> {
    const { transfers, server } = this.#deps;
    const row = await this.#lock(tx, principal, id);
    const wanted = volumesIn(row).find((volume) => volume.name === name);
    if (!wanted) throw invalid('volume', `the import has no volume ${name}.`, { reason: 'unknown' });
    if (row.status !== 'receiving')
      throw conflict('status', 'state', `the import is ${row.status}.`, { status: row.status });
    const last = (await transfers.ofImport(tx, id)).findLast(({ storage }) => storage === name);
    if (last) return transferRecord(last);
    requireCarrier(await server(tx, row.account_id, row.server_id), 'server_id');
    const { account_id, definition_id, server_id: to_server_id } = row;
    const instance_uid = row.container_name ?? row.instance_uid;
    const what = { account_id, definition_id, instance_uid, storage: name, volume: wanted.volume, to_server_id };
    await noteProgress(tx, id);
    return transferRecord(await transfers.order(tx, { ...what, import_id: id, mode: 'import' }, actorOf(principal)));
  }

  async cancel(tx: Tx, principal: Principal, id: string): Promise<Import> {
    const { transfers } = this.#deps;
    let row = await this.#lock(tx, principal, id);
    if (row.status === 'completed')
      throw conflict('status', 'state', 'the import is completed; archive its definition instead.', {
        status: row.status,
      });
    if (row.status === 'receiving') {
      const why = { reason: 'cancelled', error: 'The import was cancelled.', actor: actorOf(principal) };
      row = await fail(tx, this.#deps, row, why);
    }
    return importRecord(row, await transfers.ofImport(tx, id));
  }

  /** Records progress or the end of a transfer. */
  async carried(tx: Tx, { import_id: id, status }: TransferRow): Promise<void> {
    if (id === null) return;
    await noteProgress(tx, id);
    if (status !== 'running') await wakeImport(tx, id);
  }

  job(): JobKind {
    return importJob(this.#deps);
  }

  async #lock(tx: Tx, { accountId }: Principal, id: string): Promise<ImportRow> {
    const row = (await findImport(tx, accountId, id)) && (await lockImport(tx, id));
    if (!row) throw notFound('import');
    return row;
  }

  /** Dry run: creates and deploys the definition in a transaction that is rolled back, to fail early. */
  async #rehearse(
    principal: Principal,
    found: Found,
    order: Order,
    { ignore_capacity = false }: ImportOrder,
  ): Promise<Manifest> {
    const { storage, catalog, definitions, deployments, manifest } = this.#deps;
    try {
      return await catalog.trying(found.template, () =>
        storage.write(async (tx) => {
          await settleTemplate(this.#deps, tx, principal, found);
          const { id } = await definitions.create(tx, principal, order);
          await deployments.execute(tx, principal, { definition_id: id, ignore_capacity });
          throw new Rehearsed(await manifest(tx, principal.accountId, id, 1));
        }),
      );
    } catch (error) {
      if (error instanceof Rehearsed) return error.manifest;
      throw error;
    }
  }

  async #volumes({ accountId }: Principal, body: ImportOrder, manifest: Manifest): Promise<ImportVolume[]> {
    const { storage, diskFree } = this.#deps;
    const declared = volumesOf(manifest);
    const volumes = body.bundle.volumes.map(({ name, bytes }): ImportVolume => {
      const volume = declared.find((item) => item.storage === name)?.volume;
      if (volume === undefined) throw invalid('bundle.volumes', `the template has no volume ${name}.`);
      return { name, bytes, volume };
    });
    if (new Set(volumes.map(({ name }) => name)).size < volumes.length)
      throw invalid('bundle.volumes', 'contains a volume twice.');
    const free = await diskFree(storage.reader, accountId, body.server_id);
    // Received data is stored beside the volume until it is complete, so twice the size is needed.
    const needed = 2 * volumes.reduce((sum, { bytes }) => sum + bytes, 0);
    if (!body.ignore_capacity && free !== null && needed > free)
      throw conflict('server_id', 'capacity', `the server has ${free} bytes left on its disk; ${needed} are needed.`);
    return volumes;
  }
}

/** Thrown to roll back a successful dry run. */
class Rehearsed extends Error {
  readonly manifest: Manifest;
  constructor(manifest: Manifest) {
    super('The dry run is rolled back.');
    this.manifest = manifest;
  }
}
