import {
  type DaemonUpdate,
  type DaemonUpdateDetail,
  type DaemonUpdateOrder,
  MAX_TARGETS,
} from '@hortus/contract/resources/daemon-updates';
import { compareVersions } from '@hortus/template/notation/version-order';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { conflict, invalid, notFound } from '../../problem.ts';
import { newId } from '../../records/ids.ts';
import { begin, transition } from '../../state/transition.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Releases } from '../implant/public.ts';
import { type DaemonFacts, daemonsOf } from '../servers/public.ts';
import { wakeUpdate } from './job.ts';
import { auditUpdate, daemonUpdateLifecycle, updateTargetLifecycle } from './lifecycle.ts';
import { targetRecord, updateRecord } from './record.ts';
import { byRisk, type Selection, select, waysOf } from './selection.ts';
import { areGrowing, defaultStages, stageAt, stageSizes } from './stages.ts';
import {
  acceptFailures,
  countTargets,
  findUpdate,
  lockUpdate,
  targetsOf,
  type UpdateFilter,
  type UpdateRow,
  updateList,
  updatingAmong,
} from './store.ts';

export interface DaemonUpdatesDeps {
  readonly reader: Queries;
  readonly pages: Pages;
  readonly releases: Pick<Releases, 'refresh' | 'all' | 'of'>;
}

const MINUTE_MS = 60_000;

/** Orders updates of daemons and reads them; `job.ts` carries them out. */
export class DaemonUpdates {
  readonly #deps: DaemonUpdatesDeps;
  constructor(deps: DaemonUpdatesDeps) {
    this.#deps = deps;
  }

  async list(filter: UpdateFilter, request: PageRequest): Promise<Page<DaemonUpdate>> {
    const { reader, pages } = this.#deps;
    const page = await pages.read(request, updateList(reader, filter));
    const counts = await countTargets(
      reader,
      page.data.map(({ id }) => id),
    );
    return { ...page, data: page.data.map((row) => updateRecord(row, counts)) };
  }

  async read({ accountId }: Principal, id: string): Promise<DaemonUpdateDetail> {
    const { reader } = this.#deps;
    const row = await findUpdate(reader, accountId, id);
    if (!row) throw notFound('update of daemons');
    return this.#detail(reader, row);
  }

  /** Checks the order by itself and reads the binaries, before the transaction. Returns the version to update to. */
  async prepare(order: DaemonUpdateOrder): Promise<string> {
    const ways = waysOf(order);
    if (ways.length !== 1)
      throw invalid(ways[1] ?? 'servers', 'name exactly one of servers, label and all.', { given: ways });
    if (order.stages && !areGrowing(order.stages))
      throw invalid('stages', 'each stage must be larger than the one before.');
    const { releases } = this.#deps;
    await releases.refresh({ now: true });
    const known = [...new Set(releases.all.map(({ signature }) => signature.version))].sort(compareVersions);
    const newest = known.at(-1);
    if (newest === undefined)
      throw conflict(
        'version',
        'no_release',
        'this service has no signed daemon. Build one with npm run build:daemon -- --sign <key file>, and put the files into HORTUS_AGENTS_DIR.',
      );
    const { version = newest } = order;
    if (!known.includes(version))
      throw conflict('version', 'no_release', `there is no signed daemon ${version} here, only ${known.join(', ')}.`, {
        versions: known,
      });
    return version;
  }

  async create(tx: Tx, principal: Principal, order: DaemonUpdateOrder, version: string): Promise<DaemonUpdateDetail> {
    const { accountId } = principal;
    const actor = actorOf(principal);
    const { chosen, leftOut } = await this.#select(tx, accountId, order, version);
    const sizes = stageSizes(order.stages ?? defaultStages, chosen.length);
    const row = await begin(
      tx,
      daemonUpdateLifecycle,
      {
        id: newId('daemonUpdate'),
        account_id: accountId,
        version,
        releases: JSON.stringify(this.#deps.releases.all.filter(({ signature }) => signature.version === version)),
        error: null,
        stage: 1,
        stage_begun_at: tx.now,
        stages: JSON.stringify(sizes),
        max_failed: order.max_failed ?? 0,
        allow_downgrade: order.allow_downgrade ? 1 : 0,
        offline_ms: (order.offline_minutes ?? 60) * MINUTE_MS,
        left_out: JSON.stringify(leftOut),
        created_by: actor,
        created_at: tx.now,
        updated_at: tx.now,
        finished_at: null,
      },
      'begin',
      actor,
    );
    for (const [place, server] of chosen.entries()) {
      const { os, arch } = this.#deps.releases.of(server.platform)?.platform ?? {};
      await begin(
        tx,
        updateTargetLifecycle,
        {
          id: newId('daemonUpdateTarget'),
          update_id: row.id,
          account_id: accountId,
          server_id: server.id,
          server_name: server.name,
          environment: server.environment,
          platform: `${os}/${arch}`,
          place,
          stage: stageAt(sizes, place),
          accepted: 0,
          from_version: server.version,
          reason: null,
          error: null,
          sent_epoch: null,
          heard_at: tx.now,
          ordered_at: null,
          created_at: tx.now,
          updated_at: tx.now,
          finished_at: null,
        },
        'queue',
        actor,
        () => conflict('servers', 'updating', `the daemon of ${server.name} is part of another update.`),
      );
    }
    await wakeUpdate(tx, row.id);
    return this.#detail(tx, row);
  }

  /** Goes on after a halt, and accepts the failures so far. */
  async continue(tx: Tx, principal: Principal, id: string): Promise<DaemonUpdateDetail> {
    const row = await this.#lock(tx, principal, id);
    const actor = actorOf(principal);
    const set = { error: null, stage_begun_at: tx.now };
    const running = await transition(tx, daemonUpdateLifecycle, row, 'continue', { actor, set });
    await acceptFailures(tx, id);
    await auditUpdate(tx, running, 'continued', actor);
    await wakeUpdate(tx, id);
    return this.#detail(tx, running);
  }

  /** Cancels the servers that have not begun. Idempotent. */
  async cancel(tx: Tx, principal: Principal, id: string): Promise<DaemonUpdateDetail> {
    const row = await this.#lock(tx, principal, id);
    if (row.status === 'cancelled') return this.#detail(tx, row);
    const actor = actorOf(principal);
    const cancelled = await transition(tx, daemonUpdateLifecycle, row, 'cancel', {
      actor,
      set: { finished_at: tx.now },
    });
    for (const target of await targetsOf(tx, id))
      if (target.status === 'queued')
        await transition(tx, updateTargetLifecycle, target, 'cancel', { actor, set: { finished_at: tx.now } });
    await auditUpdate(tx, cancelled, 'cancelled', actor);
    await wakeUpdate(tx, id);
    return this.#detail(tx, cancelled);
  }

  /** Finds the servers of an order. Servers given by id must be updatable, unless they run the version already. */
  async #select(tx: Tx, accountId: string, order: DaemonUpdateOrder, version: string): Promise<Selection> {
    const { releases } = this.#deps;
    const found = await asked(tx, accountId, order);
    const selection = select(found, {
      version,
      allowDowngrade: order.allow_downgrade ?? false,
      releaseFor: ({ platform }) => releases.of(platform),
      updating: await updatingAmong(tx, accountId),
    });
    const { chosen, leftOut } = selection;
    const obstacle = order.servers && leftOut.find(({ reason }) => reason !== 'current');
    if (obstacle)
      throw conflict('servers', obstacle.reason, obstacle.message, {
        server_id: obstacle.server_id,
        left_out: leftOut,
      });
    if (chosen.length > MAX_TARGETS)
      throw conflict('servers', 'too_many', `an update has at most ${MAX_TARGETS} servers; choose fewer, by a label.`);
    const field = waysOf(order)[0] ?? 'servers';
    if (chosen.length > 0) return selection;
    const [first] = leftOut;
    throw conflict(field, 'nothing', first ? `nothing to update: ${first.message}` : 'no server matches.', {
      left_out: leftOut,
    });
  }

  async #lock(tx: Tx, { accountId }: Principal, id: string): Promise<UpdateRow> {
    const row = await lockUpdate(tx, accountId, id);
    if (!row) throw notFound('update of daemons');
    return row;
  }

  async #detail(queries: Queries, row: UpdateRow): Promise<DaemonUpdateDetail> {
    const targets = await targetsOf(queries, row.id);
    const counts = targets.map(({ stage, status }) => ({ update_id: row.id, stage, status, number: 1 }));
    return { ...updateRecord(row, counts), targets: targets.map(targetRecord) };
  }
}

/** Returns the servers that an order names: those given by id in their order, others by risk. */
async function asked(tx: Tx, accountId: string, { servers, label }: DaemonUpdateOrder): Promise<DaemonFacts[]> {
  if (servers) {
    const found = new Map((await daemonsOf(tx, { accountId, ids: servers })).map((daemon) => [daemon.id, daemon]));
    return servers.map((id) => {
      const daemon = found.get(id);
      if (!daemon) throw notFound('server');
      return daemon;
    });
  }
  const all = byRisk(await daemonsOf(tx, { accountId }));
  if (label === undefined) return all;
  const at = label.indexOf('=');
  const [key, value] = [label.slice(0, at), label.slice(at + 1)];
  return all.filter(({ labels }) => Object.hasOwn(labels, key) && labels[key] === value);
}
