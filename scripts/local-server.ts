import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@hortus/client/client';
import { ApiProblem } from '@hortus/client/problem';

/** Identity of the local server; also the format of its key file. */
export interface LocalServer {
  readonly name: string;
  readonly server_id: string;
  readonly api_key: string;
  readonly manifest_public_key: string;
}

export interface LocalServerOptions {
  readonly baseUrl: string;
  readonly dataDirectory: string;
  /** Returns a key that may read and register servers; called only if needed. */
  key(): Promise<string>;
}

export const recordOf = (dataDirectory: string): string => join(dataDirectory, 'local-server.json');

/** Returns the server of this machine; registers one if there is none or it was deleted. */
export async function localServer(options: LocalServerOptions): Promise<LocalServer> {
  const path = recordOf(options.dataDirectory);
  const known = readRecord(path);
  if (known && (await isRegistered(known, options))) return known;
  const client = createClient({ baseUrl: options.baseUrl, key: await options.key() });
  const body = { name: hostname(), environment: 'production', description: 'The machine of npm start' } as const;
  const { id, name, api_key, manifest_public_key } = (await client.call('servers.register', { body })).data;
  const made = { name, server_id: id, api_key, manifest_public_key };
  // Written atomically: a partial record would lose the server of this machine.
  writeFileSync(`${path}.new`, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return made;
}

function readRecord(path: string): LocalServer | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as LocalServer;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`${path} cannot be read: ${(error as Error).message}`);
  }
}

async function isRegistered({ server_id, api_key }: LocalServer, { baseUrl, key }: LocalServerOptions) {
  const reads = (withKey: string) =>
    createClient({ baseUrl, key: withKey })
      .call('servers.read', { params: { id: server_id } })
      .then(() => true)
      .catch((error) => {
        if (error instanceof ApiProblem && (error.code === 'UNAUTHORIZED' || error.code === 'NOT_FOUND')) return false;
        throw error;
      });
  // The key may have been rotated; the daemon has the new one, so the server stays.
  return (await reads(api_key)) || (await reads(await key()));
}
