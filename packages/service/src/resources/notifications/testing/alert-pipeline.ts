import type { EventName } from '@hortus/contract/events';
import type { ChannelCreate } from '@hortus/contract/resources/notification-channels';
import type { RuleCreate } from '@hortus/contract/resources/notifications';
import { until } from '@hortus/testkit/until';
import { type Principal, unlimited } from '../../../identity/principal.ts';
import { enqueue } from '../../../jobs/enqueue.ts';
import type { Mailer } from '../../../mail/mailer.ts';
import { AddressGuard } from '../../../outbound/address-guard.ts';
import { append } from '../../../outbox/append.ts';
import { newId } from '../../../records/ids.ts';
import { Pages } from '../../../storage/page.ts';
import { insertRow } from '../../../storage/status-columns.ts';
import type { Storage } from '../../../storage/storage.ts';
import type { Engine } from '../../../testing/engines.ts';
import { type LeftBehind, openEventPipeline } from '../../../testing/event-pipeline.ts';
import { definitionRow, insertDefinitionParents } from '../../../testing/rows.ts';
import { closeAlertsOf } from '../alerts/raising.ts';
import { Channels } from '../channels/service.ts';
import { watchJob, watchSlowlyJob } from '../conditions/watch-jobs.ts';
import { composeJob } from '../deliveries/compose-job.ts';
import { sendJob } from '../deliveries/send-job.ts';
import { eventsJob } from '../events/job.ts';
import { wakeRules } from '../events/subscriber.ts';
import { COMPOSE, EVENTS, SEND, WATCH, WATCH_SLOWLY } from '../jobs.ts';
import { Rules } from '../rules/service.ts';
import { Notifications } from '../service.ts';

export interface AlertPipelineOptions {
  readonly allowPrivate?: boolean;
  readonly timeoutMs?: number;
  readonly mailer?: Mailer;
  /** A storage and clock of an earlier pipeline, as after a restart. */
  readonly again?: LeftBehind;
}

const GROUPING_MS = 15_000;
const publicUrl = 'https://hortus.example.org';

/** Opens everything between a server or event and the receiver of a message, on one storage with a manual clock. */
export async function openAlertPipeline(engine: Engine, options: AlertPipelineOptions = {}) {
  const { storage, time, clock, masterKey, log, vault, carry } = await openEventPipeline(engine, options.again);
  const guard = new AddressGuard({
    allowPrivate: options.allowPrivate ?? true,
    // Every name is one inside.
    resolve: (_, __, done) => done(null, [{ address: '10.0.0.7', family: 4 }]),
  });
  const pages = new Pages();
  const { mailer, timeoutMs = 2_000 } = options;
  const rules = new Rules({ storage, pages, close: closeAlertsOf });
  const channels = new Channels({
    storage,
    vault,
    pages,
    guard,
    mailer,
    timeoutMs,
    publicUrl,
    forget: (tx, ...args) => rules.forgetChannel(tx, ...args),
  });
  const notifications = new Notifications({ reader: storage.reader, pages });
  const deps = { storage, rules, clock, groupingMs: GROUPING_MS };
  const handlers = {
    [WATCH]: watchJob({ ...deps, everyMs: 30_000 }),
    [WATCH_SLOWLY]: watchSlowlyJob(deps),
    [EVENTS]: eventsJob(deps),
    [COMPOSE]: composeJob({ storage, publicUrl }),
    [SEND]: sendJob({ storage, vault, guard, mailer, timeoutMs, clock }),
  };
  const parents = options.again ? undefined : await insertDefinitionParents(storage);
  const principalOf = (accountId: string): Principal => ({
    kind: 'key',
    id: 'key_1',
    userId: null,
    ...unlimited,
    plan: 'pro',
    permissions: ['notifications:read', 'notifications:write'],
    accountId,
  });
  const principal = principalOf(parents?.accountId ?? '');
  return {
    storage,
    time,
    masterKey,
    channels,
    rules,
    notifications,
    principal,
    principalOf,
    log,
    parents: parents ?? { accountId: '', templateId: '', serverId: '' },
    now: clock,
    ...carry(handlers, wakeRules),
    async channel(body: ChannelCreate, by = principal) {
      await channels.check(body);
      return await storage.write((tx) => channels.create(tx, by, body));
    },
    rule: (body: RuleCreate, by = principal) => storage.write((tx) => rules.create(tx, by, body)),
    alerts: async (status?: 'open' | 'resolved' | 'pending', by = principal) =>
      (await notifications.alerts(by, { status }, { per_page: 100 })).data,
    deliveries: async (by = principal) => (await notifications.deliveries(by, {}, { per_page: 100 })).data,
    fire: (type: EventName | `audit.${string}`, resourceId: string, data: Record<string, unknown>) =>
      storage.write((tx) =>
        append(tx, { type, accountId: principal.accountId, resourceType: 'deployment', resourceId, actor: null, data }),
      ),
    ...recordsOf(storage, principal.accountId, parents),
    /** Lets time pass and waits until the conditions were evaluated, so that a test can tell what was not raised. */
    async watched(ms = 0) {
      time.now += ms;
      const kinds = [WATCH, WATCH_SLOWLY];
      await storage.write(async (tx) => {
        for (const kind of kinds) await enqueue(tx, { kind, key: kind, payload: null });
      });
      const jobs = storage.reader.db.selectFrom('jobs').select(['run_at', 'lease_owner']).where('kind', 'in', kinds);
      await until(
        async () => (await jobs.execute()).every((job) => job.lease_owner === null && job.run_at > time.now),
        { describe: 'the watch jobs to have run' },
      );
    },
  };
}

/** Writes the records that alerts are about. */
function recordsOf(
  storage: Storage,
  accountId: string,
  parents: Awaited<ReturnType<typeof insertDefinitionParents>> | undefined,
) {
  const definition = async (name: string): Promise<string> => {
    if (!parents) throw new Error('A pipeline that continues has no account of its own.');
    const id = newId('definition');
    await storage.write((tx) =>
      insertRow(tx, 'definitions', { ...definitionRow(tx, parents, id), name, status: 'active' }),
    );
    return id;
  };
  return {
    /** Writes columns of the server of the account, status included. */
    server: (columns: Record<string, unknown>) =>
      storage.write(async (tx) => {
        await tx.db
          .updateTable('servers')
          .set(columns as never)
          .where('id', '=', parents?.serverId ?? '')
          .execute();
      }),
    capacity: (diskPercent: number, memoryPercent = 1) =>
      storage.write(async (tx) => {
        const row = {
          server_id: parents?.serverId ?? '',
          memory_used: Math.round(memoryPercent * 1_000_000),
          memory_free: Math.round((100 - memoryPercent) * 1_000_000),
          cpu_cores: 2,
          cpu_used_percent: 1,
          disk_used: Math.round(diskPercent * 1_000_000),
          disk_free: Math.round((100 - diskPercent) * 1_000_000),
          reported_at: tx.now,
        };
        await tx.db
          .insertInto('server_capacity')
          .values(row)
          .onConflict((clash) => clash.column('server_id').doUpdateSet(row))
          .execute();
      }),
    definition,
    async instance(name: string, columns: Record<string, unknown> = {}) {
      const definitionId = await definition(name);
      const id = newId('instance');
      await storage.write((tx) =>
        insertRow(tx, 'instances', {
          id,
          account_id: accountId,
          definition_id: definitionId,
          server_id: parents?.serverId,
          container_id: null,
          container_name: id,
          status: 'running',
          health: 'healthy',
          revision: null,
          url: null,
          components: '[]',
          drift: '[]',
          drifted_at: null,
          heals: 0,
          healed_at: null,
          started_at: null,
          starts: '[]',
          restarted_at: null,
          last_reported_at: null,
          created_at: tx.now,
          updated_at: tx.now,
          ...columns,
        }),
      );
      return id;
    },
    changeInstances: (columns: Record<string, unknown>) =>
      storage.write(async (tx) => {
        await tx.db
          .updateTable('instances')
          .set(columns as never)
          .execute();
      }),
  };
}

export type AlertPipeline = Awaited<ReturnType<typeof openAlertPipeline>>;
