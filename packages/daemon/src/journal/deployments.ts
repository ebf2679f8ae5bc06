import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import { placeOf } from './encrypt-journal.ts';
import type { JournalCipher } from './journal-cipher.ts';
import type { RolloutResult } from './rollout-result.ts';

const COLUMN = { table: 'deployments', column: 'manifest' } as const;

export interface JournalledDeployment {
  id: string;
  definitionId: string;
  instanceUid: string | undefined;
  revision: number;
  /** Claim token of this daemon; another daemon with the same key, even on a copy of this disk, has another. */
  claim: string | null;
  /** Deployment that this automatic rollback undoes. */
  rollbackOf: string | undefined;
  /** As received; deleted when the deployment is finished, because it contains secrets. */
  manifest: SignedManifest | undefined;
  phase: 'received' | 'started' | 'finished';
  step: string | undefined;
  result: RolloutResult | undefined;
  reported: boolean;
}

interface Row {
  id: string;
  definition_id: string;
  instance_uid: string | null;
  revision: number;
  claim: string | null;
  rollback_of: string | null;
  manifest: string | null;
  phase: JournalledDeployment['phase'];
  step: string | null;
  result: string | null;
  reported: number;
}

/** Every method returns after the data is on disk. */
export class Deployments {
  readonly #db: DatabaseSync;
  readonly #cipher: JournalCipher;

  constructor(db: DatabaseSync, cipher: JournalCipher) {
    this.#db = db;
    this.#cipher = cipher;
  }

  receive(deployment: { id: string; definition_id: string; revision: number }, now: number): JournalledDeployment {
    const { id, definition_id, revision } = deployment;
    this.#db
      .prepare(`insert into deployments (id, definition_id, revision, claim, phase, received_at)
                values (?, ?, ?, ?, 'received', ?) on conflict (id) do nothing`)
      .run(id, definition_id, revision, randomUUID(), now);
    return this.find(id) as JournalledDeployment;
  }

  /** Forgets a deployment that another daemon claimed or that no longer exists. */
  forget(id: string): void {
    this.#db.prepare(`delete from deployments where id = ? and phase = 'received'`).run(id);
  }

  /** Forgets an unfinished deployment, which another daemon has continued or the service has ended. */
  drop(id: string): void {
    this.#db.prepare(`delete from deployments where id = ? and phase <> 'finished'`).run(id);
  }

  /** Records an automatic rollback to the version before `rollbackOf`. */
  receiveReturn(id: string, rollbackOf: string, former: SignedManifest, now: number): JournalledDeployment {
    const received = this.receive({ id, definition_id: former.definition_id, revision: former.revision }, now);
    this.#db.prepare('update deployments set rollback_of = ? where id = ?').run(rollbackOf, id);
    this.start(id, former);
    return received;
  }

  start(id: string, manifest: SignedManifest): void {
    this.#db
      .prepare(`update deployments set phase = 'started', instance_uid = ?, manifest = ?
                where id = ? and phase <> 'finished'`)
      .run(manifest.instance_uid, this.#cipher.encrypt(JSON.stringify(manifest), placeOf(COLUMN, id)), id);
  }

  step(id: string, step: string): void {
    this.#db.prepare(`update deployments set step = ? where id = ? and phase = 'started'`).run(step, id);
  }

  /** Stores the result; the first one is final. */
  finish(id: string, result: RolloutResult, now: number): boolean {
    const { changes } = this.#db
      .prepare(`update deployments set phase = 'finished', result = ?, manifest = null, finished_at = ?
                where id = ? and phase <> 'finished'`)
      .run(JSON.stringify(result), now, id);
    return changes > 0;
  }

  reported(id: string): void {
    this.#db.prepare(`update deployments set reported = 1 where id = ? and phase = 'finished'`).run(id);
  }

  find(id: string): JournalledDeployment | undefined {
    const row = this.#db.prepare('select * from deployments where id = ?').get(id);
    return row && this.#read(row as unknown as Row);
  }

  unfinished(): JournalledDeployment[] {
    return this.#all(`select * from deployments where phase <> 'finished' order by received_at`);
  }

  unreported(): JournalledDeployment[] {
    return this.#all(`select * from deployments where phase = 'finished' and reported = 0 order by finished_at`);
  }

  forgetBefore(time: number): void {
    this.#db.prepare(`delete from deployments where phase = 'finished' and reported = 1 and finished_at < ?`).run(time);
  }

  #all(sql: string): JournalledDeployment[] {
    return (this.#db.prepare(sql).all() as unknown as Row[]).map((row) => this.#read(row));
  }

  #read(row: Row): JournalledDeployment {
    return {
      id: row.id,
      definitionId: row.definition_id,
      instanceUid: row.instance_uid ?? undefined,
      revision: row.revision,
      claim: row.claim,
      rollbackOf: row.rollback_of ?? undefined,
      manifest:
        row.manifest === null ? undefined : JSON.parse(this.#cipher.decrypt(row.manifest, placeOf(COLUMN, row.id))),
      phase: row.phase,
      step: row.step ?? undefined,
      result: row.result === null ? undefined : JSON.parse(row.result),
      reported: row.reported === 1,
    };
  }
}
