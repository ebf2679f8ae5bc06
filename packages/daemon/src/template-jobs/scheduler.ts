import { newId } from '@hortus/contract/records/new-id';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import type { ManifestComponent } from '@hortus/contract/template/manifest';
import { nextTime, parseSchedule } from '@hortus/template/notation/schedule';
import type { Engine } from '../engine/engine.ts';
import { guarded } from '../guard.ts';
import { containersOf } from '../instances/instance-containers.ts';
import type { ActionRequest } from '../journal/action.ts';
import type { Journal } from '../journal/journal.ts';
import type { JournalledSchedule } from '../journal/schedules.ts';
import type { Log } from '../log.ts';
import { label } from '../plan/labels.ts';
import { isScheduled } from './scheduled-job.ts';

export interface SchedulerOptions {
  journal: Journal;
  engine: Engine;
  log: Log;
  /** Whether this daemon may act: another member of its cluster may lead. */
  leads(): boolean;
  /** Whether another operation runs on the instance; its jobs wait meanwhile. */
  busy(uid: string): boolean;
  /** Runs a request that is already in the journal. */
  onDue(request: ActionRequest): void;
  everyMs?: number;
  now?: () => number;
}

/**
 * Runs the scheduled jobs of deployed instances from the journal alone, even while the service is unreachable. A due
 * run and the time of the next one are written in one transaction, so that no run starts twice, even after a crash.
 * Missed runs are made up for once.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;
  #supervising: Promise<void> = Promise.resolve();

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  start(): void {
    const poll = () => this.poll();
    this.#timer = setInterval(guarded(this.#options.log, poll), this.#options.everyMs ?? 1_000);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#supervising;
  }

  /** Checks for due jobs; checks never overlap. */
  poll(): Promise<void> {
    this.#supervising = this.#supervising
      .then(() => this.#poll())
      .catch((error: Error) => this.#options.log.warn({ err: error }, 'scheduled jobs could not be checked'));
    return this.#supervising;
  }

  async #poll(): Promise<void> {
    const { journal, log, leads } = this.#options;
    if (!leads()) return;
    const known = new Map(
      journal.schedules.all().map((schedule) => [keyOf(schedule.instanceUid, schedule.component), schedule]),
    );
    for (const manifest of journal.manifests.all()) {
      for (const component of manifest.components.filter(isScheduled)) {
        const key = keyOf(manifest.instance_uid, component.name);
        const kept = known.get(key);
        known.delete(key);
        await this.#check(manifest, component, kept).catch((error: Error) =>
          log.debug(
            {
              instance: manifest.instance_uid,
              job: component.name,
              err: error,
            },
            'a scheduled job could not be started; retrying',
          ),
        );
      }
    }
    // No longer declared.
    for (const left of known.values()) journal.schedules.drop(left);
  }

  async #check(manifest: SignedManifest, component: ManifestComponent, kept?: JournalledSchedule): Promise<void> {
    const { journal, log, busy, leads, onDue } = this.#options;
    const { instance_uid: instanceUid } = manifest;
    const now = this.#now();
    const text = component.schedule ?? '';
    const schedule = parseSchedule(text);
    const dueNext = schedule && nextTime(schedule, now);
    if (dueNext === undefined) return;
    const next = { instanceUid, component: component.name, schedule: text, dueAt: dueNext };
    if (kept?.schedule !== text) return journal.schedules.keep({ ...next, lastExecution: kept?.lastExecution });
    const { dueAt, lastExecution } = kept;
    if (dueAt > now) return;
    const why = await this.#obstacle(manifest, lastExecution);
    if (why !== undefined) {
      log.info({ instance: instanceUid, job: component.name, why }, 'a scheduled job was skipped');
      return journal.schedules.keep({ ...next, lastExecution });
    }
    if (busy(instanceUid) || !leads()) return;
    const request = requestFor(manifest, component.name, dueAt);
    journal.together(() => {
      journal.schedules.keep({ ...next, lastExecution: request.execution_id });
      journal.executions.receive(request, now);
    });
    onDue(request);
  }

  /** Returns why the job is skipped this time. */
  async #obstacle({ instance_uid: uid, components }: SignedManifest, last?: string): Promise<string | undefined> {
    const { journal, engine } = this.#options;
    const before = last === undefined ? undefined : journal.executions.find(last);
    if (before !== undefined && before.phase !== 'finished') return 'the previous run is still active';
    if (!components.some(({ kind }) => kind === 'service')) return undefined;
    const services = (await containersOf(engine, uid)).filter(({ labels }) => labels[label.kind] === 'service');
    return services.some(({ state }) => state === 'running') ? undefined : 'the instance is stopped';
  }
}

const keyOf = (uid: string, component: string): string => `${uid}\0${component}`;

function requestFor(manifest: SignedManifest, component: string, dueAt: number): ActionRequest {
  return {
    execution_id: newId('execution'),
    instance_id: '',
    container_name: manifest.instance_uid,
    action: { slug: component, type: 'scheduled', command: [], timeout: '24h' },
    params: {},
    scheduled: { definition_id: manifest.definition_id, due_at: dueAt },
  };
}
