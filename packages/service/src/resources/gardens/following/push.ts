import type { IncomingHttpHeaders } from 'node:http';
import { unauthorized } from '../../../problem.ts';
import type { Storage } from '../../../storage/storage.ts';
import type { Vault } from '../../../vault/vault.ts';
import { isPushTo } from '../forges/push-event.ts';
import { isSigned } from '../forges/signature.ts';
import { openSecret } from './secrets.ts';
import type { GardenSources } from './service.ts';
import { lockSource, sourceOf } from './store.ts';

export interface PushDeps {
  readonly storage: Storage;
  readonly vault: Pick<Vault, 'decrypt'>;
  readonly sources: GardenSources;
}

/** Receives push webhooks of forges. A repeated one causes at most one more look at the repository. */
export const receivePush =
  ({ storage, vault, sources }: PushDeps) =>
  async (gardenId: string, headers: IncomingHttpHeaders, body: Buffer): Promise<void> => {
    const source = await sourceOf(storage.reader, gardenId);
    const secret = source && (await openSecret(vault, storage.reader, source));
    // The same answer for unknown gardens, so that it tells nothing.
    if (!source || secret === undefined || !isSigned(headers, body, secret))
      throw unauthorized('The signature is missing or wrong.');
    if (!isPushTo(source.branch, headers, body)) return;
    await storage.write(async (tx) => {
      const held = await lockSource(tx, gardenId);
      if (held) await sources.request(tx, held);
    });
  };
