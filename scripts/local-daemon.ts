import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '@hortus/service/config/config-fields';
import { endingWithParent } from '@hortus/testkit/orphan';

const main = join(import.meta.dirname, '../packages/daemon/src/main.ts');

/** As in the released binary, see `agent/build.ts`. */
const smallHeap = ['--max-semi-space-size=1', '--optimize-for-size'];

/** Setting of the daemon that machines without a registry need. */
const SUBSTITUTES = 'HORTUSD_IMAGE_SUBSTITUTES';

export interface LocalDaemonOptions {
  readonly url: string;
  readonly keyFile: string;
  readonly stateDirectory: string;
  readonly dockerSocket: string;
  /** Ingress settings of the service process, so that npm start is configured in one place. */
  readonly ingress: Pick<Config, 'caddy' | 'ingressHttp' | 'ingressHttps'>;
  readonly env: NodeJS.ProcessEnv;
  /** Receives a line of its output: a JSON log line or plain text. */
  onLine(line: string): void;
  onEnd(code: number | null, signal: NodeJS.Signals | null, pauseMs: number): void;
}

/** A run of this length resets the restart pause. */
const WELL_MS = 60_000;
const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** Time for the daemon to reach a safe point in running work. */
const TIMEOUT_MS = 15_000;

/** Runs hortusd as a child process, restarts it whenever it ends, and stops it with this process. */
export function runLocalDaemon(options: LocalDaemonOptions): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let child: ChildProcess | undefined;
  const keepRunning = async () => {
    let pause = MIN_PAUSE_MS;
    while (!stopping.signal.aborted) {
      const from = Date.now();
      child = start(options);
      // Rejects if the process cannot be started.
      const [code, signal] = await once(child, 'exit').catch(() => [null, null]);
      if (stopping.signal.aborted) return;
      pause = Date.now() - from > WELL_MS ? MIN_PAUSE_MS : Math.min(pause * 2, MAX_PAUSE_MS);
      options.onEnd(code, signal, pause);
      await sleep(pause, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  const ended = keepRunning();
  return {
    async stop() {
      stopping.abort();
      child?.kill('SIGTERM');
      const insist = setTimeout(() => child?.kill('SIGKILL'), TIMEOUT_MS);
      await ended;
      clearTimeout(insist);
    },
  };
}

function start({ url, keyFile, stateDirectory, dockerSocket, ingress, env, onLine }: LocalDaemonOptions): ChildProcess {
  const place = ['--url', url, '--key-file', keyFile, '--state-dir', stateDirectory, '--docker-socket', dockerSocket];
  // The service listens on an address of this machine, so the key does not leave it.
  const args = [...place, '--allow-plaintext', ...ingressOptions(ingress)];
  const program = [process.execPath, ...smallHeap, main, 'run', ...args];
  const [command = '', ...rest] = endingWithParent(program, 'SIGTERM');
  // The daemon must not see settings and secrets of the service, and has a name of its own in traces.
  const isForeign = (name: string) => name.startsWith('HORTUS') || name === 'OTEL_SERVICE_NAME';
  const isOwn = (name: string) => name === SUBSTITUTES || !isForeign(name);
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => isOwn(name)));
  const child = spawn(command, rest, { env: own, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) createInterface(stream).on('line', onLine);
  return child;
}

function ingressOptions({ caddy, ingressHttp, ingressHttps }: LocalDaemonOptions['ingress']): string[] {
  const input = { '--ingress-http': ingressHttp, '--ingress-https': ingressHttps, '--caddy': caddy };
  return Object.entries(input).flatMap(([option, value]) => (value === undefined ? [] : [option, String(value)]));
}
