import { AsyncLocalStorage } from 'node:async_hooks';
import { DatabaseWait } from './database-wait.ts';

/** What the storage knows about the request for which it works. */
class RequestContext {
  readonly databaseWait = new DatabaseWait();
  /** The account that makes the request, once it is known. */
  caller: string | undefined;
  ended = false;
}

const contexts = new AsyncLocalStorage<RequestContext>();

/**
 * Work that a request leaves behind, such as the timer of a loop that it woke, keeps its context for as long as that
 * runs. It must not wait with what is left of the patience of a request that has ended.
 */
function current(): RequestContext | undefined {
  const context = contexts.getStore();
  return context?.ended ? undefined : context;
}

/** Runs a request. Its queries and transactions together wait no longer for the database than one of them may. */
export async function inRequest<Of extends unknown[], Result>(
  work: (...args: Of) => Promise<Result>,
  ...rest: Of
): Promise<Result> {
  const context = new RequestContext();
  try {
    return await contexts.run(context, work, ...rest);
  } finally {
    context.ended = true;
  }
}

/** For a request that becomes a stream, which may stay open for days: each later query has its own patience. */
export function endRequest(): void {
  const context = contexts.getStore();
  if (context) context.ended = true;
}

/** Returns that of the current request; outside of requests each query and transaction has its own. */
export const currentDatabaseWait = (): DatabaseWait => current()?.databaseWait ?? new DatabaseWait();

export const currentCaller = (): string | undefined => current()?.caller;

export function nameCaller(caller: string): void {
  const context = current();
  if (context) context.caller = caller;
}
