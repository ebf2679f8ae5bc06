import { guardedBy } from '@hortus/contract/runtime/guarded-by';

/**
 * Aborts what takes longer and rejects. It does not leave the rejection to the aborted work: a fetch was seen that ended
 * neither with its connection nor with the time limit in its signal, and its caller waited for ever.
 */
export async function within<Result>(ms: number, limit: AbortController, work: () => Promise<Result>): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const end = () => {
      const reason = new Error(`Nothing was received for ${ms} ms.`);
      reject(reason);
      limit.abort(reason);
    };
    timer = setTimeout(guardedBy(reject, end), ms);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
