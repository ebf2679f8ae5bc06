import type { RuleKind } from '@hortus/contract/resources/notifications';
import type { JobKind, JobRun } from '../../../jobs/job.ts';
import type { Queries, Storage } from '../../../storage/storage.ts';
import { restartedSince, statesOf, troubledInstances } from '../../instances/public.ts';
import { offlineServers } from '../../servers/public.ts';
import { evaluate, keyOf, type Seen } from '../alerts/evaluate.ts';
import type { Finding } from '../alerts/finding.ts';
import { Raising } from '../alerts/raising.ts';
import { type AlertRow, lockUnresolvedOf, unresolvedOf } from '../alerts/store.ts';
import type { Rules } from '../rules/service.ts';
import { accountsWithoutRules, activeRules } from '../rules/store.ts';
import { lateBackups } from './backups.ts';
import { expiring } from './certificates.ts';
import { restarting, unhealthy } from './instances.ts';
import { minutesOf, RulesByAccount } from './rules-by-account.ts';
import { full, offline } from './servers.ts';
import { upgradable } from './upgrades.ts';

export interface WatchDeps {
  readonly storage: Storage;
  readonly rules: Pick<Rules, 'ensurePresets'>;
  readonly clock?: () => number;
  /** Time that a message waits for further alerts. */
  readonly groupingMs: number;
}

const SLOWLY_MS = 600_000;
/** Accounts that get their preset rules in one transaction. */
const ACCOUNTS_AT_ONCE = 100;

const quick: readonly RuleKind[] = [
  'server_offline',
  'disk_above',
  'memory_above',
  'instance_unhealthy',
  'restart_loop',
];
const slow: readonly RuleKind[] = ['backup_late', 'certificate_expires', 'upgrade_available'];

/** Watches servers and instances. Reads only what is wrong, by indexes, and writes only changes. */
export const watchJob = (deps: WatchDeps & { readonly everyMs: number }): JobKind => ({
  every: deps.everyMs,
  concurrency: 1,
  run: async (run) => {
    await givePresets(deps);
    return await apply(deps, run, quick, poll);
  },
});

/** Watches what changes in hours: late backups, certificates and upgrades. */
export const watchSlowlyJob = (deps: WatchDeps): JobKind => ({
  every: SLOWLY_MS,
  concurrency: 1,
  run: (run) => apply(deps, run, slow, pollSlowly),
});

async function givePresets({ storage, rules }: WatchDeps): Promise<void> {
  for (;;) {
    const ids = await accountsWithoutRules(storage.reader, ACCOUNTS_AT_ONCE);
    if (ids.length === 0) return;
    await storage.write(async (tx) => {
      for (const id of ids) await rules.ensurePresets(tx, id);
    });
  }
}

type Look = (queries: Queries, rules: RulesByAccount, alerts: readonly AlertRow[], now: number) => Promise<Seen>;

/** Applies the changes in one transaction with the end of the run, so that none is lost or made twice. */
async function apply(deps: WatchDeps, { complete }: JobRun, kinds: readonly RuleKind[], poll: Look) {
  const { storage, clock = Date.now } = deps;
  const rules = new RulesByAccount(await activeRules(storage.reader, kinds));
  const alerts = await unresolvedOf(storage.reader, kinds);
  const seen = await poll(storage.reader, rules, alerts, clock());
  const { watch, open, resolve, drop } = evaluate(seen, alerts);
  if (watch.length + open.length + resolve.length + drop.length === 0) return 'done';
  return await storage.write(async (tx) => {
    // Rules may have been paused since, so evaluate what is stored now.
    const active = new Set((await activeRules(tx, kinds)).map(({ id }) => id));
    const findings = seen.findings.filter(({ ruleId }) => active.has(ruleId));
    const changes = evaluate({ ...seen, findings }, await lockUnresolvedOf(tx, kinds));
    const raising = new Raising(tx, deps.groupingMs);
    for (const finding of changes.watch) await raising.watch(finding);
    for (const change of changes.open) await raising.open(change, rules.byId(change.finding.ruleId)?.channelIds ?? []);
    for (const alert of changes.resolve) await raising.resolve(alert);
    for (const alert of changes.drop) await raising.drop(alert);
    return await complete(tx);
  });
}

const poll: Look = async (queries, rules, alerts, now) => {
  const gone = await offlineServers(queries);
  const open = new Set(
    alerts.filter(({ status }) => status === 'open').map((alert) => keyOf(alert.rule_id, alert.subject)),
  );
  const troubled = await troubledInstances(queries);
  const longest = Math.max(0, ...rules.all('restart_loop').map(minutesOf));
  const restarted = longest === 0 ? [] : await restartedSince(queries, now - longest);
  const findings = [
    ...(await offline(queries, rules, gone, now)),
    ...(await full(queries, rules, (ruleId, serverId) => open.has(keyOf(ruleId, serverId)))),
    ...unhealthy(rules, troubled),
    ...restarting(rules, restarted, troubled, now),
  ];
  return { findings, now, isHidden: await hiding(queries, new Set(gone.map(({ id }) => id)), alerts) };
};

/**
 * What happens on an offline server is not visible, and belongs to the alert of the server. An instance that starts is
 * neither well nor ill.
 */
async function hiding(
  queries: Queries,
  offlineIds: ReadonlySet<string>,
  alerts: readonly AlertRow[],
): Promise<Seen['isHidden']> {
  const ill = alerts.filter(({ kind }) => kind === 'instance_unhealthy').map(({ resource_id }) => resource_id);
  const states = ill.length === 0 ? [] : await statesOf(queries, ill);
  const unsettled = new Set(
    states
      .filter(({ status, health }) => ['lost', 'starting', 'restarting'].includes(status) || health === 'starting')
      .map(({ id }) => id),
  );
  return (of) => {
    const { kind, serverId, subject } = placeOf(of as Finding | AlertRow);
    if (kind === 'server_offline') return false;
    if (serverId !== null && offlineIds.has(serverId)) return true;
    return kind === 'instance_unhealthy' && !('ruleId' in of) && unsettled.has(subject);
  };
}

const placeOf = (of: Finding | AlertRow) =>
  'ruleId' in of
    ? { kind: of.kind, serverId: of.serverId, subject: of.subject }
    : { kind: of.kind, serverId: of.server_id, subject: of.subject };

const pollSlowly: Look = async (queries, rules, alerts, now) => {
  const gone = new Set((await offlineServers(queries)).map(({ id }) => id));
  const findings = [
    ...(await lateBackups(queries, rules, now)),
    ...(await expiring(queries, rules, now)),
    ...(await upgradable(queries, rules)),
  ];
  return { findings, now, isHidden: await hiding(queries, gone, alerts) };
};
