import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createClient } from '@hortus/client/client';
import { freePort } from '@hortus/testkit/port';
import { startProcess } from '@hortus/testkit/process';
import { serviceMain } from '@hortus/testkit/programs';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';

const plenty = 'free=99999999,pro=99999999,enterprise=99999999,anonymous=99999999,server=99999999';

/**
 * Starts the service as a process on the first core, on fresh data, with limits that no bench reaches. With a database server
 * three processes share two cores, as with pgbench.
 */
export async function startService(
  options: {
    env?: Record<string, string>;
    nodeArgs?: string[];
    cores?: string;
    /** Entry file; the bundle or source of the service by default. */
    main?: string;
    /** A killed service to replace, on the same data. */
    again?: { root: string; key: string; folder: string };
  } = {},
) {
  const { again } = options;
  const folder = again ? { path: again.folder, remove: async () => {} } : temporaryFolder('bench');
  const port = again ? Number(new URL(again.root).port) : await freePort();
  const key = again?.key ?? `hk_live_${randomBytes(32).toString('base64url')}`;
  const startedAt = performance.now();
  const child = startProcess(
    [
      'taskset',
      '-c',
      options.cores ?? (options.env?.HORTUS_DATABASE_URL ? '0,1' : '0'),
      process.execPath,
      ...(options.nodeArgs ?? []),
      options.main ?? serviceMain,
    ],
    {
      env: {
        HORTUS_PORT: String(port),
        HORTUS_DATA_DIR: folder.path,
        HORTUS_ADMIN_KEY: key,
        HORTUS_ADMIN_PASSWORD: 'a password for the bench',
        HORTUS_LOCAL_SERVER: 'off',
        HORTUS_RATE_LIMITS: plenty,
        HORTUS_LOG_LEVEL: 'warn',
        ...options.env,
      },
    },
  );
  const root = `http://127.0.0.1:${port}`;
  await child.waitForHttp(`${root}/api/v1/health`);
  const readyMs = performance.now() - startedAt;
  return {
    root,
    base: `${root}/api/v1`,
    key,
    folder: folder.path,
    readyMs,
    client: createClient({ baseUrl: `${root}/api/v1`, key }),
    headers: { authorization: `Bearer ${key}` },
    metric: async (name: string) => metric(await (await fetch(`${root}/metrics`)).text(), name),
    memory: () => residentBytes(child.pid),
    pid: child.pid,
    kill: () => child.kill('SIGKILL'),
    stop: async () => {
      await child.stop();
      await folder.remove();
    },
  };
}

function residentBytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}

function metric(text: string, name: string): number {
  const line = text.split('\n').find((l) => l.startsWith(`${name} `));
  if (!line) throw new Error(`The service reports no ${name}.`);
  return Number(line.slice(name.length + 1));
}
