import type { DatabaseSync } from 'node:sqlite';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import { placeOf } from './encrypt-journal.ts';
import type { JournalCipher } from './journal-cipher.ts';

const COLUMN = { table: 'watches', column: 'former' } as const;

/** A successful deployment in its watch period. */
export interface JournalledWatch {
  instanceUid: string;
  deploymentId: string;
  /** Milliseconds since the epoch. */
  until: number;
  /** The job that prevents a rollback, if any. */
  irreversible: string | undefined;
  /** Manifest of the previous version, for a rollback. */
  former: SignedManifest;
}

export class Watches {
  readonly #db: DatabaseSync;
  readonly #cipher: JournalCipher;

  constructor(db: DatabaseSync, cipher: JournalCipher) {
    this.#db = db;
    this.#cipher = cipher;
  }

  begin({ instanceUid, deploymentId, until, irreversible, former }: JournalledWatch): void {
    this.#db
      .prepare(`insert or replace into watches (instance_uid, deployment_id, until, irreversible, former)
                values (?, ?, ?, ?, ?)`)
      .run(
        instanceUid,
        deploymentId,
        until,
        irreversible ?? null,
        this.#cipher.encrypt(JSON.stringify(former), placeOf(COLUMN, instanceUid)),
      );
  }

  all(): JournalledWatch[] {
    return this.#db
      .prepare('select * from watches order by instance_uid')
      .all()
      .map((row) => ({
        instanceUid: row.instance_uid as string,
        deploymentId: row.deployment_id as string,
        until: row.until as number,
        irreversible: (row.irreversible as string | null) ?? undefined,
        former: JSON.parse(
          this.#cipher.decrypt(row.former as string, placeOf(COLUMN, row.instance_uid as string)),
        ) as SignedManifest,
      }));
  }

  end(instanceUid: string): void {
    this.#db.prepare('delete from watches where instance_uid = ?').run(instanceUid);
  }
}
