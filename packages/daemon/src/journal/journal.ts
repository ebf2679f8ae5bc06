import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Deployments } from './deployments.ts';
import { Executions } from './executions.ts';
import { Manifests } from './manifests.ts';
import { Pauses } from './pauses.ts';
import { Pins } from './pins.ts';
import { PulledImages } from './pulled-images.ts';
import { Routes } from './routes.ts';
import { Schedules } from './schedules.ts';
import { CHANGES, SCHEMA } from './schema.ts';
import { takeStateDirectory } from './state-directory.ts';
import { Watches } from './watches.ts';
import { WrittenPaths } from './written-paths.ts';

const DAY = 86_400_000;
/** How long a settled execution still answers when it is asked for again. */
const KEPT_FOR = 7 * DAY;

export interface Journal {
  readonly directory: string;
  readonly executions: Executions;
  readonly deployments: Deployments;
  readonly manifests: Manifests;
  readonly pauses: Pauses;
  readonly pins: Pins;
  readonly pulledImages: PulledImages;
  readonly routes: Routes;
  readonly schedules: Schedules;
  readonly watches: Watches;
  readonly writtenPaths: WrittenPaths;
  /** All of what is written in there, or nothing. */
  together<T>(work: () => T): T;
  /** Drops what was settled long ago. */
  tidy(now: number): void;
  close(): void;
}

/** Opens the memory of the daemon. One process at a time; what a method wrote survives a kill and a power cut. */
export function openJournal(directory: string): Journal {
  const taken = takeStateDirectory(directory);
  // The file is made by SQLite with the process's umask; the directory is closed to others in any case.
  const db = new DatabaseSync(join(directory, 'journal.db'), { timeout: 1000 });
  db.exec('pragma journal_mode = wal; pragma synchronous = full;');
  db.exec(SCHEMA);
  bringUpToDate(db);
  const executions = new Executions(db);
  const deployments = new Deployments(db);
  return {
    directory,
    executions,
    deployments,
    manifests: new Manifests(db),
    pauses: new Pauses(db),
    pins: new Pins(db),
    pulledImages: new PulledImages(db),
    routes: new Routes(db),
    schedules: new Schedules(db),
    watches: new Watches(db),
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

function bringUpToDate(db: DatabaseSync): void {
  const { user_version } = db.prepare('pragma user_version').get() as { user_version: number };
  for (const [before, change] of CHANGES.entries()) {
    if (before >= user_version) db.exec(`begin; ${change}; pragma user_version = ${before + 1}; commit;`);
  }
}
