import type { DaemonUpdateOrder, LeftOutServer } from '@hortus/contract/resources/daemon-updates';
import type { Server } from '@hortus/contract/resources/server-records';
import { compareVersions } from '@hortus/template/notation/version-order';
import type { Release } from '../implant/public.ts';
import type { DaemonFacts } from '../servers/public.ts';

type Reason = LeftOutServer['reason'];

export interface Selection {
  readonly chosen: readonly DaemonFacts[];
  readonly leftOut: readonly LeftOutServer[];
}

export interface SelectionRules {
  readonly version: string;
  readonly allowDowngrade: boolean;
  /** Release for the platform of a server; undefined if there is none. */
  readonly releaseFor: (server: DaemonFacts) => Release | undefined;
  /** Servers that are part of another update. */
  readonly updating: ReadonlySet<string>;
}

/** Separates the servers to update from those that cannot or need not be updated, with the reason. */
export function select(servers: readonly DaemonFacts[], rules: SelectionRules): Selection {
  const chosen: DaemonFacts[] = [];
  const leftOut: LeftOutServer[] = [];
  for (const server of servers) {
    const reason = reasonAgainst(server, rules);
    if (reason === undefined) chosen.push(server);
    else leftOut.push({ server_id: server.id, name: server.name, reason, message: messageOf(reason, server, rules) });
  }
  return { chosen, leftOut };
}

function reasonAgainst(server: DaemonFacts, rules: SelectionRules): Reason | undefined {
  const { id, version, capabilities } = server;
  if (rules.updating.has(id)) return 'updating';
  if (version === null) return 'never_connected';
  if (version === rules.version) return 'current';
  if (!capabilities.includes('update')) return 'old_daemon';
  if (!rules.allowDowngrade && compareVersions(version, rules.version) > 0) return 'newer';
  return rules.releaseFor(server)?.signature.version === rules.version ? undefined : 'no_release';
}

function messageOf(reason: Reason, { name, version, platform }: DaemonFacts, { version: wanted }: SelectionRules) {
  const messages: Readonly<Record<Reason, string>> = {
    current: `The daemon of ${name} runs ${version} already.`,
    newer: `The daemon of ${name} runs ${version}, which is newer; set allow_downgrade to return to ${wanted}.`,
    updating: `The daemon of ${name} is part of another update; wait for it or cancel it.`,
    old_daemon: `The daemon of ${name} cannot update itself; install ${wanted} there by hand once.`,
    never_connected: `The daemon of ${name} has not reported its version.`,
    no_release: `There is no signed binary of ${wanted} for ${platform.os ?? 'unknown'}/${platform.arch ?? 'unknown'}, the platform of ${name}.`,
  };
  return messages[reason];
}

const rank: Readonly<Record<Server['environment'], number>> = { development: 0, staging: 1, production: 2 };

/** Sorts by risk: development, staging, production; then by name. */
export const byRisk = (servers: readonly DaemonFacts[]): DaemonFacts[] =>
  servers.toSorted(
    (a, b) => rank[a.environment] - rank[b.environment] || a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1),
  );

/** Which of servers, label and all an order names. */
export const waysOf = ({ servers, label, all }: DaemonUpdateOrder): string[] =>
  Object.entries({ servers, label, all }).flatMap(([name, value]) => (value === undefined ? [] : name));
