import type { ActionRequest } from '../journal/action.ts';

/** Keys of a backup; a restore has a second one for its safety backup. */
export interface ExecutionKeys {
  key?: Buffer | undefined;
  safetyKey?: Buffer | undefined;
}

/**
 * Keeps keys of executions only in memory: the journal must not contain the keys of the backups beside it. A restarted
 * daemon waits for the service to resend running executions.
 */
export class Keys {
  readonly #known = new Map<string, ExecutionKeys>();
  readonly #waiting = new Map<string, (keys: ExecutionKeys) => void>();

  /** Removes the keys from a request and remembers them. */
  take(request: ActionRequest): ActionRequest {
    const { key, safety_key, ...params } = request.params;
    if (key === undefined && safety_key === undefined) return request;
    const keys = { key: bytesOf(key), safetyKey: bytesOf(safety_key) };
    this.#known.set(request.execution_id, keys);
    this.#waiting.get(request.execution_id)?.(keys);
    return { ...request, params };
  }

  async of(id: string, signal: AbortSignal): Promise<ExecutionKeys> {
    const known = this.#known.get(id);
    if (known) return known;
    signal.throwIfAborted();
    return await new Promise((resolve, reject) => {
      this.#waiting.set(id, resolve);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  }

  forget(id: string): void {
    this.#known.delete(id);
    this.#waiting.delete(id);
  }
}

const bytesOf = (text: unknown): Buffer | undefined =>
  typeof text === 'string' ? Buffer.from(text, 'base64') : undefined;
