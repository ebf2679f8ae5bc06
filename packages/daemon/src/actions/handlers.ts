import type { Manifest } from '@hortus/contract/template/manifest';
import type { ContainerFacts } from '../engine/container-facts.ts';
import type { Engine } from '../engine/engine.ts';
import type { ActionOutcome, ActionRequest } from '../journal/action.ts';

export interface InstanceContext {
  engine: Engine;
  uid: string;
  /** Last deployed manifest; without it the start order is unknown and no volume is removed. */
  manifest: Manifest | undefined;
  params: Readonly<Record<string, unknown>>;
  /** Removes its routes. */
  unroute(): Promise<void>;
  /** Forgets the instance after its release, with its routes: another instance may use their addresses at once. */
  forget(): Promise<void>;
  /** Cancels transfers of the instance to this server. */
  abandon(): Promise<void>;
}

/** Gets the containers in start order. */
export type InstanceHandler = (context: InstanceContext, containers: ContainerFacts[]) => Promise<ActionOutcome>;

type ServerHandler = (params: Readonly<Record<string, unknown>>) => Promise<ActionOutcome>;

/** One execution of a built-in action about a backup. */
export interface BackupRun {
  id: string;
  uid: string;
  params: Readonly<Record<string, unknown>>;
  /** Progress recorded before a restart of the daemon. */
  reached: unknown;
  reach(point: unknown): void;
}

/** Built-in actions that may take hours: they can be cancelled, and resume after a restart. */
export interface BackupHandlers {
  has(slug: string): boolean;
  /** Names what must not run at the same time. */
  turnOf(slug: string, uid: string): string;
  /** Takes the keys out of a request before it is written to the journal. */
  withoutKeys(request: ActionRequest): ActionRequest;
  /** Returns undefined if it was suspended. */
  run(slug: string, run: BackupRun): Promise<ActionOutcome | undefined>;
  cancel(id: string): void;
  /** Aborts running actions without a result; they may be resumed. */
  suspend(): void;
  stop(): Promise<void>;
}

/** The built-in actions of this daemon, by slug. */
export interface BuiltInHandlers {
  instance: Readonly<Record<string, InstanceHandler>>;
  server: Readonly<Record<string, ServerHandler>>;
  backups: BackupHandlers;
}
