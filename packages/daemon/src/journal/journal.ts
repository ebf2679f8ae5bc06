import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '../options/config-error.ts';
import { Deployments } from './deployments.ts';
import { encryptJournal } from './encrypt-journal.ts';
import { Executions } from './executions.ts';
import { FinishedTransfers } from './finished-transfers.ts';
import { JournalCipher } from './journal-cipher.ts';
import { type KeyPair, openKeyPair } from './key-pair.ts';
import { LastTerm } from './last-term.ts';
import { Manifests } from './manifests.ts';
import { Pauses } from './pauses.ts';
import { Pins } from './pins.ts';
import { PulledImages } from './pulled-images.ts';
import { Routes } from './routes.ts';
import { Schedules } from './schedules.ts';
import { CHANGES, SCHEMA } from './schema.ts';
import { type StateDirectory, takeStateDirectory } from './state-directory.ts';
import { Watches } from './watches.ts';
import { WrittenPaths } from './written-paths.ts';

const DAY = 86_400_000;
/** How long a reported execution is kept for repeated requests. */
const KEPT_FOR = 7 * DAY;

export interface Journal {
  readonly directory: string;
  /** Key pair in the same directory; secrets in the journal are encrypted with it. */
  readonly keyPair: KeyPair;
  readonly executions: Executions;
  readonly deployments: Deployments;
  readonly finishedTransfers: FinishedTransfers;
  readonly lastTerm: LastTerm;
  readonly manifests: Manifests;
  readonly pauses: Pauses;
  readonly pins: Pins;
  readonly pulledImages: PulledImages;
  readonly routes: Routes;
  readonly schedules: Schedules;
  readonly watches: Watches;
  readonly writtenPaths: WrittenPaths;
  /** Runs all writes of `work` in one transaction. */
  together<T>(work: () => T): T;
  /** Deletes records that were settled long ago. */
  tidy(now: number): void;
  close(): void;
}

/** Opens the journal for one process at a time. Every completed write survives a kill and a power cut. */
export function openJournal(directory: string): Journal {
  const taken = takeStateDirectory(directory);
  try {
    return openTaken(directory, taken);
  } catch (error) {
    taken.release();
    throw error;
  }
}

function openTaken(directory: string, taken: StateDirectory): Journal {
  const keyPair = openKeyPair(directory);
  const cipher = new JournalCipher(keyPair.journalKey);
  const file = join(directory, 'journal.db');
  closeToOthers(file);
  const db = new DatabaseSync(file, { timeout: 1000 });
  db.exec('pragma journal_mode = wal; pragma synchronous = full;');
  db.exec(SCHEMA);
  bringUpToDate(db);
  const pins = new Pins(db);
  fitKey(db, pins, cipher, directory);
  const executions = new Executions(db, cipher);
  const deployments = new Deployments(db, cipher);
  return {
    directory,
    keyPair,
    executions,
    deployments,
    finishedTransfers: new FinishedTransfers(db),
    lastTerm: new LastTerm(db),
    manifests: new Manifests(db, cipher),
    pauses: new Pauses(db),
    pins,
    pulledImages: new PulledImages(db),
    routes: new Routes(db),
    schedules: new Schedules(db),
    watches: new Watches(db, cipher),
    writtenPaths: new WrittenPaths(db),
    together(work) {
      db.exec('begin immediate');
      try {
        const done = work();
        db.exec('commit');
        return done;
      } catch (error) {
        db.exec('rollback');
        throw error;
      }
    },
    tidy(now) {
      executions.forgetBefore(now - KEPT_FOR);
      deployments.forgetBefore(now - KEPT_FOR);
    },
    close() {
      db.close();
      taken.release();
    },
  };
}

/** Creates the file with mode 0600 instead of the umask; SQLite's log and index files inherit it. */
function closeToOthers(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
  for (const path of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(path)) chmodSync(path, 0o600);
}

const CHECK = 'journal key';

/** Encrypts a journal of an earlier version; rejects one that was encrypted with another key pair. */
function fitKey(db: DatabaseSync, pins: Pins, cipher: JournalCipher, directory: string): void {
  const known = pins.find('journal_key');
  if (known === undefined) {
    encryptJournal(db, cipher);
    pins.pin('journal_key', cipher.encrypt(CHECK, CHECK));
    return;
  }
  try {
    cipher.decrypt(known, CHECK);
  } catch (cause) {
    db.close();
    throw new ConfigError(
      `The journal in ${directory} was encrypted with another identity.key. Restore that file, or remove journal.db to start over: running instances stay, but must be deployed again.`,
      { cause },
    );
  }
}

function bringUpToDate(db: DatabaseSync): void {
  const { user_version } = db.prepare('pragma user_version').get() as { user_version: number };
  for (const [before, change] of CHANGES.entries()) {
    if (before >= user_version) db.exec(`begin; ${change}; pragma user_version = ${before + 1}; commit;`);
  }
}
