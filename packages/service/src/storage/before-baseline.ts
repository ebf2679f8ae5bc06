import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

/** Recorded migrations of a database at the last schema before the baseline, which is the same schema. */
export const REPLACED_MIGRATIONS: readonly string[] = `
  0001-foundation 0002-road 0003-event-numbers 0004-claims 0005-private-templates 0010-tenants-recipes-configs
  0011-upgrades-assistant 0012-identity-retention 0013-rollouts 0014-images 0020-drift 0021-server-executions
  0030-metrics 0031-fingerprint 0040-backups 0050-deploy-tests 0051-upgrades-apply 0060-migrations
  0061-prepared-deployments 0065-bundles 0066-brought-templates 0068-idempotency-scope 0069-sessions
  0070-server-identity 0074-tombstones 0075-old-key-until 0076-server-networks 0077-reusable-uids 0078-quotas
  0079-paused-schedules 0081-last-lines 0083-notifications 0084-mails 0085-certificates 0087-shells
  0088-granted-permissions 0089-block-devices 0090-trace-parents 0092-user-names 0094-sorted-instances
  0095-delivery-replies 0096-schema-needs 0100-gardens 0115-confirmations 0116-rehearsals 0117-daemon-updates
  0118-garden-sources 0120-connections 0122-verified-templates 0123-clusters 0124-nodes 0125-evacuations
  0126-leader-since 0127-found-by-index 0128-counted-instances 0131-searched-names
`
  .trim()
  .split(/\s+/);

/** The last commit with the replaced migrations: it migrates an older database to the schema of the baseline. */
const LAST_COMMIT = 'af4bd5b0';

/**
 * Records the baseline instead of the migrations that it replaces, and keeps those after it. Refuses a database that lacks one of
 * them, or has unknown ones. Returns the names of the new record.
 */
export async function adoptBaseline(
  db: Kysely<Tables>,
  applied: readonly string[],
  { baseline, later }: { readonly baseline: string; readonly later: readonly string[] },
): Promise<string[]> {
  requireReplaced(applied, later);
  await db.transaction().execute(async (tx) => {
    for (const name of REPLACED_MIGRATIONS) await sql`delete from kysely_migration where name = ${name}`.execute(tx);
    await sql`insert into kysely_migration (name, timestamp) values (${baseline}, ${new Date().toISOString()})`.execute(
      tx,
    );
    // A program from before the baseline refuses to start from now on, instead of creating its tables again.
    await tx.updateTable('schema_needs').set({ migration: baseline }).execute();
  });
  return [baseline, ...applied.filter((name) => later.includes(name))];
}

function requireReplaced(applied: readonly string[], later: readonly string[]): void {
  const unknown = applied.filter((name) => !REPLACED_MIGRATIONS.includes(name) && !later.includes(name));
  if (unknown.length > 0)
    throw new Error(
      `The database has migrations that this version of Hortus does not know: ${unknown.join(', ')}. Start the version that made them, or restore a backup of the database from before its first start.`,
    );
  const replaced = applied.filter((name) => REPLACED_MIGRATIONS.includes(name));
  if (replaced.length < REPLACED_MIGRATIONS.length)
    throw new Error(
      `The database is of a version before the first release of Hortus (it has ${replaced.length} of ${REPLACED_MIGRATIONS.length} migrations, the last is ${replaced.toSorted().at(-1)}), and this version cannot migrate it. Back it up, start commit ${LAST_COMMIT} of Hortus once on it and stop that again, then start this version.`,
    );
}
