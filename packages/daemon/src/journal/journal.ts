import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Deployments } from './deployments.ts';
import { Executions } from './executions.ts';
import { Manifests } from './manifests.ts';
import { Pins } from './pins.ts';
import { Routes } from './routes.ts';
import { SCHEMA } from './schema.ts';
import { takeStateDirectory } from './state-directory.ts';

const DAY = 86_400_000;
/** How long a settled execution still answers when it is asked for again. */
const KEPT_FOR = 7 * DAY;

export interface Journal {
  readonly directory: string;
  readonly executions: Executions;
  readonly deployments: Deployments;
  readonly manifests: Manifests;
  readonly pins: Pins;
  readonly routes: Routes;
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
  const executions = new Executions(db);
  const deployments = new Deployments(db);
  return {
    directory,
    executions,
    deployments,
    manifests: new Manifests(db),
    pins: new Pins(db),
    routes: new Routes(db),
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
