import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface LoadOptions {
  /** Port of this machine. */
  port?: number;
  /** Unix socket instead of a port. */
  socketPath?: string;
  /** Host header. */
  host: string;
  path?: string;
  /** Number of parallel clients. */
  clients?: number;
  /** Whether clients keep connections or open one for each request; half of each by default. */
  connections?: 'kept' | 'new' | 'both';
  /** The longest pause of a client between two requests, in milliseconds. */
  pause?: number;
}

interface LoadResult {
  responded: number;
  /** Response bodies and their counts. */
  bodies: Map<string, number>;
  /** Requests without a 200, with their time and the error. */
  failures: string[];
}

export interface Load {
  readonly result: LoadResult;
  /** Waits for open requests and returns the result. */
  stop(): Promise<LoadResult>;
}

/** Sends requests continuously from several clients, without retries. */
export function startLoad(options: LoadOptions): Load {
  const { clients = 8, pause = 10, connections = 'both' } = options;
  const kept = new Agent({ keepAlive: true, maxSockets: clients });
  const result: LoadResult = { responded: 0, bodies: new Map(), failures: [] };
  let going = true;
  const ask = async (agent: Agent | false) => {
    while (going) {
      const at = new Date().toISOString();
      const begun = performance.now();
      try {
        const body = await once(options, agent);
        result.responded++;
        result.bodies.set(body, (result.bodies.get(body) ?? 0) + 1);
      } catch (error) {
        result.failures.push(
          `${at} ${agent ? 'kept' : 'new'} connection, ${Math.round(performance.now() - begun)} ms: ${(error as Error).message}`,
        );
      }
      await sleep(Math.random() * pause);
    }
  };
  const keeps = (index: number) => (connections === 'both' ? index % 2 === 0 : connections === 'kept');
  const all = Promise.all(Array.from({ length: clients }, (_, index) => ask(keeps(index) ? kept : false)));
  return {
    result,
    async stop() {
      going = false;
      await all;
      kept.destroy();
      return result;
    },
  };
}

function once({ port, socketPath, host, path = '/' }: LoadOptions, agent: Agent | false): Promise<string> {
  const place = socketPath === undefined ? { host: '127.0.0.1', port } : { socketPath };
  return new Promise((resolve, reject) => {
    const outgoing = get({ ...place, path, headers: { host }, agent, timeout: 15_000 }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === 200) resolve(text.trim());
        else reject(new Error(`${response.statusCode} ${text.trim()}`));
      });
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer within 15 s')));
    outgoing.on('error', reject);
  });
}
