import { AsyncLocalStorage } from 'node:async_hooks';
import { Patience } from './patience.ts';

/** What the storage knows about the request for which it works. */
class RequestContext {
  readonly patience = new Patience();
  /** The account or server that makes the request, once it is known. */
  caller: string | undefined;
}

const contexts = new AsyncLocalStorage<RequestContext>();

/** Runs a request. Its queries and transactions together wait no longer for the database than one of them may. */
export const inRequest = <Of extends unknown[], Result>(work: (...of: Of) => Result, ...of: Of): Result =>
  contexts.run(new RequestContext(), work, ...of);

/** Returns that of the current request; outside of requests each query and transaction has its own. */
export const currentPatience = (): Patience => contexts.getStore()?.patience ?? new Patience();

export const currentCaller = (): string | undefined => contexts.getStore()?.caller;

export function nameCaller(caller: string): void {
  const context = contexts.getStore();
  if (context) context.caller = caller;
}
