import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { builtIn } from '@hortus/contract/actions/built-in-actions';
import { openLog } from '@hortus/logging/log';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Engine } from '../engine/engine.ts';
import type { Ingress } from '../ingress/ingress.ts';
import { type Journal, openJournal } from '../journal/journal.ts';
import { component, manifest } from '../plan/testing/manifests.ts';
import { request } from '../testing/actions.ts';
import { Signer } from '../testing/signing.ts';
import { BackupActions } from './backup-actions.ts';
import { MANIFEST_FILE } from './backup-store.ts';

let folder: ReturnType<typeof temporaryFolder>;
let journal: Journal;
beforeEach(() => {
  folder = temporaryFolder('suspension');
  journal = openJournal(folder.path);
});
afterEach(async () => {
  journal.close();
  await folder.remove();
});

const part = {
  kind: 'volume',
  name: 'data',
  file: 'volume-data.part',
  bytes: 1,
  stored_bytes: 1,
  chunks: 1,
  entries: 1,
};
const storage = [{ name: 'data', volume: 'blog_data', mount_path: '/data', read_only: false, critical: true }];

/** Backups of an instance, in a store that delivers the volume only when it is told to. */
function open() {
  const signed = new Signer().sign(manifest('blog', [component('main', { storage })]));
  journal.manifests.keep(signed);
  const backup = Buffer.from(JSON.stringify({ species: signed.species, parts: [{ ...part, sha256: '' }] }));
  const reads: Readable[] = [];
  const backups = new BackupActions({
    // Nothing is asked of the engine before the backup is read.
    engine: { containers: async () => [], networks: async () => [], volumes: async () => [] } as unknown as Engine,
    ingress: {} as Ingress,
    journal,
    log: openLog({ level: 'error' }),
    serverId: () => 'srv_1',
    manifestOf: () => Promise.reject(new Error('Not needed.')),
    store: {
      address: 'memory',
      write: async () => undefined,
      remove: async () => undefined,
      free: async () => undefined,
      async read(_, file) {
        if (file === MANIFEST_FILE) return Readable.from([backup]);
        const content = new Readable({ read: () => undefined });
        reads.push(content);
        return content;
      },
    },
  });
  const key = randomBytes(32).toString('base64');
  const manifest_sha256 = createHash('sha256').update(backup).digest('hex');
  const params = { backup_id: 'bkp_1', safety_backup_id: 'bkp_2', manifest_sha256, key, safety_key: key };
  const order = backups.withoutKeys(request(builtIn.restore, [], params, 'blog'));
  const run = () =>
    backups.run(builtIn.restore, {
      id: order.execution_id,
      uid: 'blog',
      params: order.params,
      reached: undefined,
      reach: () => undefined,
    });
  return { backups, reads, run };
}

it('a restore ends without a result when the daemon no longer leads, and can be resumed', async () => {
  const { backups, reads, run } = open();
  const restore = run();
  await until(() => reads.length === 1, { describe: 'the restore to read the backup' });
  backups.suspend();
  expect(await restore).toBeUndefined();
  // Resumed with the keys of the order, which the service sends once.
  const again = run();
  await until(() => reads.length === 2, { describe: 'the restore to read the backup again' });
  reads[1]?.destroy(new Error('The store is gone.'));
  expect(await again).toMatchObject({ status: 'failed', outcome: 'known' });
});

it('the cleanup of a new leadership waits for suspended actions, and those of the new one wait for it', async () => {
  const { backups, reads, run } = open();
  const restore = run();
  await until(() => reads.length === 1, { describe: 'the restore to read the backup' });
  // With an action under way there is nothing to clean up.
  backups.recover();
  backups.suspend();
  backups.recover();
  const again = run();
  expect(await restore).toBeUndefined();
  await until(() => reads.length === 2, { describe: 'the resumed restore' });
  reads[1]?.destroy(new Error('The store is gone.'));
  expect(await again).toMatchObject({ status: 'failed' });
});
