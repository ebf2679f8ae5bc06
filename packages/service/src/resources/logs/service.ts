import type { QueryOf } from '@hortus/contract/endpoint';
import type { Endpoints } from '@hortus/contract/endpoints';
import type { ContainerLogPage } from '@hortus/contract/resources/logs';
import type { Follow } from '../../http/handler.ts';
import type { Principal } from '../../identity/principal.ts';
import { invalid } from '../../problem.ts';
import type { ServerState } from '../servers/public.ts';
import { type FollowDeps, followLogs, type Wanted } from './follow.ts';
import { lineRecord } from './line-record.ts';
import { type LogTarget, requireReachable } from './target.ts';

export interface LogsDeps extends FollowDeps {
  /** Throws if the caller has no such instance. */
  readonly target: (principal: Principal, instanceId: string) => Promise<LogTarget>;
  readonly serverState: (target: LogTarget) => Promise<ServerState | undefined>;
}

type Query = QueryOf<Endpoints['logs.instance']>;

const DEFAULT_TAIL = 200;

/** Reads and follows the output of containers, which the daemons keep. */
export class Logs {
  readonly #deps: LogsDeps;
  constructor(deps: LogsDeps) {
    this.#deps = deps;
  }

  async read(principal: Principal, instanceId: string, query: Query): Promise<ContainerLogPage> {
    const { pages, target: targetOf, serverState } = this.#deps;
    const target = await targetOf(principal, instanceId);
    requireReachable(await serverState(target));
    const after = positionOf('after', query.after);
    const before = positionOf('before', query.before);
    const { lines, more, end } = await pages.read(target, {
      ...filterOf(query),
      ...(query.until !== undefined && { until: Date.parse(query.until) }),
      ...(after !== undefined && { after }),
      ...(before !== undefined && { before }),
      limit: query.tail ?? DEFAULT_TAIL,
    });
    const [first, last] = [lines[0], lines.at(-1)];
    const isBackwards = after === undefined;
    const older = isBackwards ? (more ? (first?.position ?? null) : null) : (first?.position ?? after);
    // Without a newer line that was left out, the next page begins at the end of the log.
    const newer = isBackwards || more ? (last?.position ?? end) : Math.max(end, after);
    return { lines: lines.map(lineRecord), older: textOf(older), newer: textOf(newer) };
  }

  async follow(
    principal: Principal,
    instanceId: string,
    query: Query,
    lastEventId: string | undefined,
  ): Promise<Follow> {
    const { target: targetOf, serverState } = this.#deps;
    if (query.until !== undefined) throw invalid('until', 'cannot be given for a stream.');
    if (query.before !== undefined) throw invalid('before', 'cannot be given for a stream.');
    const target = await targetOf(principal, instanceId);
    const resumed = positionOf('Last-Event-ID', lastEventId);
    // A watcher that returns waits for a server that is away for a moment, such as during an update of its daemon.
    if (resumed === undefined) requireReachable(await serverState(target));
    const after = resumed ?? positionOf('after', query.after);
    return followLogs(this.#deps, target, { ...filterOf(query), begin: beginOf(query, after) });
  }
}

function beginOf({ tail, since }: Query, after: number | undefined): Wanted['begin'] {
  if (after !== undefined) return { after };
  if (tail === undefined && since !== undefined) return { after: 0 };
  return { tail: tail ?? DEFAULT_TAIL };
}

function positionOf(field: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const position = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(position)) throw invalid(field, 'must be the id of a line.');
  return position;
}

const textOf = (position: number | null): string | null => (position === null ? null : String(position));

const filterOf = ({ component, since, q, level }: Query) => ({
  ...(component !== undefined && { component }),
  ...(since !== undefined && { since: Math.max(0, Date.parse(since)) }),
  ...(q !== undefined && { q }),
  ...(level !== undefined && { level }),
});
