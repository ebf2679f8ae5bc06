import type { EndpointName, LiveName } from '@hortus/contract/endpoints';
import type { Handlers, LiveHandlers } from './http/handler.ts';
import type { RawRoute } from './http/raw-routes.ts';
import type { JobKind } from './jobs/job.ts';
import type { EventSubscriber } from './outbox/dispatcher.ts';
import type { Periods } from './retention/periods.ts';
import type { Rule } from './retention/removal.ts';
import type { Tables } from './storage/tables.ts';

/**
 * Declares everything that a resource contributes to the service; each `resources/<name>/resource.ts` exports one, and
 * `wiring/all-resources.ts` lists them. `Needs` names its dependencies; the service does not compile if the wiring
 * lacks one of them.
 */
export interface Resource<Needs> {
  /** Tables that the folder reads and writes; `npm run check` refuses queries on tables of other folders. */
  readonly tables?: readonly (keyof Tables)[];
  /**
   * Tables of others that a statement reads together with its own, because two statements would read more or page
   * wrongly. Never written.
   */
  readonly joins?: readonly (keyof Tables)[];
  readonly subscribers?: readonly EventSubscriber[];
  readonly retention?: (periods: Periods) => readonly Rule[];
  readonly wire: (needs: Needs) => Contribution;
}

/** The contributions that depend on other parts of the service. */
export interface Contribution {
  readonly handlers: Partial<Handlers<EndpointName>>;
  readonly liveHandlers?: Partial<LiveHandlers<LiveName>>;
  readonly rawRoutes?: readonly RawRoute[];
  /** By kind. */
  readonly jobs?: Readonly<Record<string, JobKind>>;
}
