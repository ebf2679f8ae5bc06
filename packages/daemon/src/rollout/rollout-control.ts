/** Reason of the abort of a rollout that another process may continue. */
const SUSPENDED = 'suspended';

/** Aborts a rollout, or suspends it: then nothing is undone and no result is recorded. */
export class RolloutControl extends AbortController {
  #suspended = false;

  get suspended(): boolean {
    return this.#suspended;
  }

  suspend(): void {
    this.#suspended = true;
    this.abort(SUSPENDED);
  }
}

export const isSuspended = (signal: AbortSignal): boolean => signal.reason === SUSPENDED;
