import type { Backup } from '@hortus/contract/resources/backups';
import type { Definition } from '@hortus/contract/resources/definition-records';
import type { Deployment } from '@hortus/contract/resources/deployment-records';
import type { Instance } from '@hortus/contract/resources/instance-records';
import type { Server } from '@hortus/contract/resources/server-records';
import type { Upgrade } from '@hortus/contract/resources/upgrades';
import { nextTime, parseSchedule } from '@hortus/template/notation/schedule';
import { ago, count } from '../output/words.ts';

/** Something to look after, and the command that helps. A note alone does not make a status bad. */
export interface Finding {
  readonly state: 'problem' | 'note';
  readonly kind: 'server' | 'instance' | 'deployment' | 'backup' | 'upgrade';
  readonly id: string;
  readonly name: string;
  readonly message: string;
  readonly command: string;
}

/** Backups of a definition, as far as they tell its condition. */
export interface LatestBackups {
  /** The newest that has finished, whether it succeeded or not. */
  readonly newest?: Backup | undefined;
  readonly completed?: Backup | undefined;
}

export interface Condition {
  readonly servers: readonly Server[];
  /** Without released ones. */
  readonly instances: readonly Instance[];
  /** Without archived ones. */
  readonly definitions: readonly Definition[];
  /** The newest deployment of each definition, by its id. */
  readonly deployments: ReadonlyMap<string, Deployment>;
  readonly backups: ReadonlyMap<string, LatestBackups>;
  readonly upgrades: readonly Upgrade[];
}

/** Judges a condition; problems come first. */
export function findingsOf(condition: Condition, now: number): Finding[] {
  const found = [
    ...condition.servers.flatMap((server) => ofServer(server, condition.instances, now)),
    ...condition.instances.flatMap((instance) => ofInstance(instance)),
    ...condition.definitions.flatMap((definition) => [
      ...ofDeployment(definition, condition.deployments.get(definition.id), now),
      ...ofBackups(definition, condition.backups.get(definition.id) ?? {}, now),
    ]),
    ...condition.upgrades.flatMap(ofUpgrade),
  ];
  return found.toSorted((a, b) => Number(a.state === 'note') - Number(b.state === 'note'));
}

function ofServer(server: Server, instances: readonly Instance[], now: number): Finding[] {
  const { id, name, status, last_seen_at, identity } = server;
  const of = { kind: 'server', id, name } as const;
  const found: Finding[] = [];
  if (status === 'offline') {
    const lost = instances.filter((instance) => instance.server_id === id && instance.status === 'lost').length;
    const also = lost === 0 ? '' : `; the state of ${count(lost, 'instance')} is unknown`;
    const message = `Offline, last seen ${ago(last_seen_at, now)}${also}.`;
    found.push({ ...of, state: 'problem', message, command: `ssh ${name} systemctl status hortusd` });
  }
  if (status === 'pending') {
    const message = 'Registered, but its daemon has not connected yet.';
    found.push({ ...of, state: 'note', message, command: `ssh ${name} systemctl status hortusd` });
  }
  if (status === 'draining')
    found.push({
      ...of,
      state: 'note',
      message: 'Draining: it takes no new deployments.',
      command: `hortus servers undrain ${name}`,
    });
  if (identity.status === 'conflict') {
    const message = 'Another daemon used its key and was refused.';
    found.push({ ...of, state: 'problem', message, command: `hortus servers reset-identity ${name}` });
  }
  return found;
}

const sick: Partial<Record<Instance['status'] | Instance['health'], string>> = {
  failed: 'It does not keep running.',
  restarting: 'It is restarting.',
  unhealthy: 'Its health check fails.',
};

function ofInstance({ id, instance_uid: name, status, health, drift }: Instance): Finding[] {
  const of = { kind: 'instance', id, name } as const;
  const message = sick[status] ?? sick[health];
  if (message !== undefined) return [{ ...of, state: 'problem', message, command: `hortus logs ${name}` }];
  if (drift.length === 0) return [];
  const differs = `It differs from what was deployed in ${count(drift.length, 'place')}.`;
  return [{ ...of, state: 'note', message: differs, command: `hortus deploy --definition ${name} --wait` }];
}

function ofDeployment({ instance_uid: name }: Definition, newest: Deployment | undefined, now: number): Finding[] {
  if (newest?.status !== 'failed' || newest.reason === 'cancelled') return [];
  const { id, error, reason, finished_at } = newest;
  const [why] = (error ?? reason ?? 'unknown reason').split('\n');
  const message = `Its last deployment failed ${ago(finished_at, now)}: ${why}`;
  return [
    { state: 'problem', kind: 'deployment', id, name, message, command: `hortus deploy --definition ${name} --wait` },
  ];
}

function ofBackups(definition: Definition, { newest, completed }: LatestBackups, now: number): Finding[] {
  const { id, instance_uid: name } = definition;
  const again = `hortus backups create ${name} --wait`;
  if (newest?.status === 'failed') {
    const message = `Its last backup failed ${ago(newest.finished_at, now)}: ${newest.error ?? 'unknown reason'}`;
    return [{ state: 'problem', kind: 'backup', id: newest.id, name, message, command: again }];
  }
  if (completed?.verify_error) {
    const message = `Its newest backup could not be verified: ${completed.verify_error}`;
    const command = `hortus backups verify ${completed.id} --wait`;
    return [{ state: 'problem', kind: 'backup', id: completed.id, name, message, command }];
  }
  if (!isOverdue(definition, completed, now)) return [];
  const last = completed === undefined ? 'it has none' : `the last one was made ${ago(completed.created_at, now)}`;
  const message = `Its scheduled backups are late: ${last}.`;
  return [{ state: 'problem', kind: 'backup', id: completed?.id ?? id, name, message, command: again }];
}

/** Late if two scheduled times have passed. `on` may mean what a template suggests; weekly is the rarest of these. */
function isOverdue({ backup, updated_at }: Definition, completed: Backup | undefined, now: number): boolean {
  if (backup.schedule === 'off') return false;
  const schedule = parseSchedule(backup.schedule === 'on' ? 'weekly' : backup.schedule);
  if (!schedule) return false;
  const since = Date.parse(completed?.created_at ?? updated_at);
  const first = nextTime(schedule, since);
  const second = first === undefined ? undefined : nextTime(schedule, first);
  return second !== undefined && second < now;
}

function ofUpgrade(upgrade: Upgrade): Finding[] {
  const { id, instance_name: name, from_version, to_version, ready, status, error, refusal } = upgrade;
  const of = { state: 'note', kind: 'upgrade', id, name } as const;
  const versions = `from ${from_version} to ${to_version}`;
  if (status === 'failed') {
    const message = `Its upgrade ${versions} failed: ${error ?? 'unknown reason'}`;
    return [{ ...of, message, command: 'hortus upgrades list' }];
  }
  if (status !== 'available') return [];
  if (refusal) {
    const message = `An upgrade ${versions} is refused: ${refusal.reason} ${refusal.instead}`;
    return [{ ...of, message, command: 'hortus upgrades list' }];
  }
  const message = `An upgrade ${versions} is available${ready ? '' : '; it needs input'}.`;
  return [{ ...of, message, command: `hortus upgrades apply ${name} --wait` }];
}
