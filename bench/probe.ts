export interface Probed {
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
}

/**
 * Sends requests at a constant rate, independent of the answers, and measures each until its last byte. This also counts requests
 * during a stall (no coordinated omission).
 */
export function startProbe(
  url: string,
  headers: Record<string, string>,
  everyMs = 10,
  request: () => RequestInit = () => ({}),
): { stop(): Promise<Probed> } {
  const responses: Promise<number | undefined>[] = [];
  const timer = setInterval(() => responses.push(timed(url, { headers, ...request() })), everyMs);
  return {
    async stop() {
      clearInterval(timer);
      const times = (await Promise.all(responses)).filter((time) => time !== undefined).sort((a, b) => a - b);
      const percentile = (share: number) => times[Math.ceil(times.length * share) - 1] ?? Number.NaN;
      return { p50: percentile(0.5), p99: percentile(0.99), worst: percentile(1) };
    },
  };
}

/** Undefined if the connection is refused, because a client would retry then. */
async function timed(url: string, request: RequestInit): Promise<number | undefined> {
  const begun = performance.now();
  try {
    const response = await fetch(url, request);
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${url} answered ${response.status}.`);
  } catch (error) {
    if (((error as Error).cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED') return undefined;
    throw error;
  }
  return performance.now() - begun;
}
