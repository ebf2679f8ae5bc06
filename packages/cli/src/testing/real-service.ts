import { randomBytes } from 'node:crypto';
import { freePort } from '@hortus/testkit/port';
import { startProcess } from '@hortus/testkit/process';
import { serviceMain } from '@hortus/testkit/programs';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';

export interface RealService {
  /** Root address, without the version segment. */
  readonly address: string;
  /** Key of the first account. */
  readonly key: string;
  /** Ends the service and removes its data. */
  stop(): Promise<void>;
}

/** Starts the real service in its own process, on an empty embedded database. */
export async function startRealService(env: Record<string, string> = {}): Promise<RealService> {
  const key = `hk_live_${randomBytes(32).toString('base64url')}`;
  const data = temporaryFolder('service');
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const service = startProcess([process.execPath, serviceMain], {
    env: {
      HORTUS_PORT: String(port),
      HORTUS_DATA_DIR: data.path,
      HORTUS_ADMIN_KEY: key,
      HORTUS_ADMIN_EMAIL: 'root@example.org',
      HORTUS_ADMIN_PASSWORD: 'a password for the tests',
      HORTUS_LOCAL_SERVER: 'off',
      ...env,
    },
  });
  await service.waitForHttp(`${address}/api/v1/health`, { within: 150_000 });
  return {
    address,
    key,
    async stop() {
      await service.stop();
      await data.remove();
    },
  };
}
