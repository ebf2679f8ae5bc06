import type { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { foundation } from './migrations/0001-foundation.ts';
import { road } from './migrations/0002-road.ts';
import { eventNumbers } from './migrations/0003-event-numbers.ts';
import { claims } from './migrations/0004-claims.ts';
import { privateTemplates } from './migrations/0005-private-templates.ts';
import { tenantsRecipesConfigs } from './migrations/0010-tenants-recipes-configs.ts';
import { upgradesAssistant } from './migrations/0011-upgrades-assistant.ts';
import { identityRetention } from './migrations/0012-identity-retention.ts';
import { rollouts } from './migrations/0013-rollouts.ts';
import { images } from './migrations/0014-images.ts';
import { drift } from './migrations/0020-drift.ts';
import { serverExecutions } from './migrations/0021-server-executions.ts';
import { metrics } from './migrations/0030-metrics.ts';
import { fingerprint } from './migrations/0031-fingerprint.ts';
import { backups } from './migrations/0040-backups.ts';
import { deployTests } from './migrations/0050-deploy-tests.ts';
import { upgradesApply } from './migrations/0051-upgrades-apply.ts';
import { migrations as moves } from './migrations/0060-migrations.ts';
import { preparedDeployments } from './migrations/0061-prepared-deployments.ts';
import { bundles } from './migrations/0065-bundles.ts';
import { broughtTemplates } from './migrations/0066-brought-templates.ts';
import { idempotencyScope } from './migrations/0068-idempotency-scope.ts';
import { sessions } from './migrations/0069-sessions.ts';
import { serverIdentity } from './migrations/0070-server-identity.ts';
import { tombstones } from './migrations/0074-tombstones.ts';
import { oldKeyUntil } from './migrations/0075-old-key-until.ts';
import { serverNetworks } from './migrations/0076-server-networks.ts';
import { reusableUids } from './migrations/0077-reusable-uids.ts';
import { quotas } from './migrations/0078-quotas.ts';
import { pausedSchedules } from './migrations/0079-paused-schedules.ts';
import { lastLines } from './migrations/0081-last-lines.ts';
import { notifications } from './migrations/0083-notifications.ts';
import { mails } from './migrations/0084-mails.ts';
import { certificates } from './migrations/0085-certificates.ts';
import { shells } from './migrations/0087-shells.ts';
import { grantedPermissions } from './migrations/0088-granted-permissions.ts';
import { blockDevices } from './migrations/0089-block-devices.ts';
import { traceParents } from './migrations/0090-trace-parents.ts';
import { userNames } from './migrations/0092-user-names.ts';
import { sortedInstances } from './migrations/0094-sorted-instances.ts';
import { deliveryReplies } from './migrations/0095-delivery-replies.ts';
import { schemaNeeds } from './migrations/0096-schema-needs.ts';
import { gardens } from './migrations/0100-gardens.ts';
import { confirmations } from './migrations/0115-confirmations.ts';
import { rehearsals } from './migrations/0116-rehearsals.ts';
import { daemonUpdates } from './migrations/0117-daemon-updates.ts';
import { gardenSources } from './migrations/0118-garden-sources.ts';
import { connections } from './migrations/0120-connections.ts';
import { verifiedTemplates } from './migrations/0122-verified-templates.ts';
import { clusters } from './migrations/0123-clusters.ts';
import { nodes } from './migrations/0124-nodes.ts';
import { evacuations } from './migrations/0125-evacuations.ts';
import { leaderSince } from './migrations/0126-leader-since.ts';
import { foundByIndex } from './migrations/0127-found-by-index.ts';
import { countedInstances } from './migrations/0128-counted-instances.ts';
import { searchedNames } from './migrations/0131-searched-names.ts';
import { type EngineName, queriesOn, type Session } from './session.ts';
import type { Tables } from './tables.ts';

/** In execution order; a released name never changes. */
const migrations: Record<string, (engine: EngineName) => Migration> = {
  '0001-foundation': foundation,
  '0002-road': road,
  '0003-event-numbers': eventNumbers,
  '0004-claims': claims,
  '0005-private-templates': privateTemplates,
  '0010-tenants-recipes-configs': tenantsRecipesConfigs,
  '0011-upgrades-assistant': upgradesAssistant,
  '0012-identity-retention': identityRetention,
  '0013-rollouts': rollouts,
  '0014-images': images,
  '0020-drift': drift,
  '0021-server-executions': serverExecutions,
  '0030-metrics': metrics,
  '0031-fingerprint': fingerprint,
  '0040-backups': backups,
  '0050-deploy-tests': deployTests,
  '0051-upgrades-apply': upgradesApply,
  '0060-migrations': moves,
  '0061-prepared-deployments': preparedDeployments,
  '0065-bundles': bundles,
  '0066-brought-templates': broughtTemplates,
  '0068-idempotency-scope': idempotencyScope,
  '0069-sessions': sessions,
  '0070-server-identity': serverIdentity,
  '0074-tombstones': tombstones,
  '0075-old-key-until': oldKeyUntil,
  '0076-server-networks': serverNetworks,
  '0077-reusable-uids': reusableUids,
  '0078-quotas': quotas,
  '0079-paused-schedules': pausedSchedules,
  '0081-last-lines': lastLines,
  '0083-notifications': notifications,
  '0084-mails': mails,
  '0085-certificates': certificates,
  '0087-shells': shells,
  '0088-granted-permissions': grantedPermissions,
  '0089-block-devices': blockDevices,
  '0090-trace-parents': traceParents,
  '0092-user-names': userNames,
  '0094-sorted-instances': sortedInstances,
  '0095-delivery-replies': deliveryReplies,
  '0096-schema-needs': schemaNeeds,
  '0100-gardens': gardens,
  '0115-confirmations': confirmations,
  '0116-rehearsals': rehearsals,
  '0117-daemon-updates': daemonUpdates,
  '0118-garden-sources': gardenSources,
  '0120-connections': connections,
  '0122-verified-templates': verifiedTemplates,
  '0123-clusters': clusters,
  '0124-nodes': nodes,
  '0125-evacuations': evacuations,
  '0126-leader-since': leaderSince,
  '0127-found-by-index': foundByIndex,
  '0128-counted-instances': countedInstances,
  '0131-searched-names': searchedNames,
};

/** Arbitrary, but the same in every replica. */
const ADVISORY_LOCK = 7_311_884_201;

/** Migrates the schema. The session must be an exclusive connection. */
export async function migrate(engine: EngineName, session: Session): Promise<void> {
  if (engine === 'sqlite') return apply(engine, session);
  // Concurrently starting replicas take turns; the second finds nothing to do.
  await session.run('select pg_advisory_lock($1)', [ADVISORY_LOCK]);
  try {
    await apply(engine, session);
  } finally {
    await session.run('select pg_advisory_unlock($1)', [ADVISORY_LOCK]);
  }
}

/**
 * Applies the missing migrations. A newer program may have applied more already: during an update, replicas of two adjacent
 * versions share the database. Those are left alone, unless they removed something that this program uses.
 */
async function apply(engine: EngineName, session: Session): Promise<void> {
  const db = queriesOn(engine, session);
  const later = (await appliedNames(engine, session)).filter((name) => !Object.hasOwn(migrations, name));
  if (later.length > 0) await requireTolerable(db);
  const entries = Object.entries(migrations).map(([name, make]) => [name, make(engine)] as const);
  const known = Object.fromEntries([...entries, ...later.map((name) => [name, NOTHING] as const)]);
  await toLatest(new Migrator({ db, provider: { getMigrations: async () => known } }));
  if (later.length === 0) await noteNeeded(db);
}

/** Maximum number of attempts of a migration that lost a deadlock. */
const MOST_ATTEMPTS = 20;

/** Tries again after a deadlock: a replica that serves requests meanwhile locks the same tables in another order. */
async function toLatest(migrator: Migrator): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const { error } = await migrator.migrateToLatest();
    if (error === undefined) return;
    const { code, message } = error as { code?: string; message?: string };
    if (code !== '40P01' || attempt === MOST_ATTEMPTS)
      throw new Error(`The migration of the database schema failed: ${message}`, { cause: error });
  }
}

/** Stands for a migration of a newer program. */
const NOTHING: Migration = { up: async () => {} };

/**
 * The oldest migration that a program must know to work with this schema. Raise it with a migration that removes or renames
 * something, to the first one of the release that stopped using it.
 */
const NEEDED = '0096-schema-needs';

async function appliedNames(engine: EngineName, session: Session): Promise<string[]> {
  const exists =
    engine === 'sqlite'
      ? `select name from sqlite_master where name = 'kysely_migration'`
      : `select 1 where to_regclass('kysely_migration') is not null`;
  if ((await session.run(exists, [])).rows.length === 0) return [];
  const { rows } = await session.run('select name from kysely_migration', []);
  return rows.map((row) => (row as { name: string }).name);
}

async function requireTolerable(db: Kysely<Tables>): Promise<void> {
  const { migration } = await db.selectFrom('schema_needs').select('migration').executeTakeFirstOrThrow();
  if (Object.hasOwn(migrations, migration)) return;
  throw new Error(
    `The database belongs to a newer version of Hortus, which removed what this version uses (it needs ${migration}). Install that version, or restore a backup of the database from before its first start.`,
  );
}

async function noteNeeded(db: Kysely<Tables>): Promise<void> {
  await db.updateTable('schema_needs').set({ migration: NEEDED }).where('migration', '<', NEEDED).execute();
}
