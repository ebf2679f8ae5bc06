import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { callsOn } from '../../identity/testing/calls.ts';
import { adminKey, twoReplicas } from '../../identity/testing/replicas.ts';
import { Pages } from '../../storage/page.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { openVault } from '../../vault/vault.ts';
import { vaultRoutes } from './routes.ts';
import { VaultAdministration } from './service.ts';

onBothEngines((engine) => {
  it('rotation rewraps keys under the old master key, responds with 0 if there are none, and is audited', async () => {
    const [{ storage, authenticator, accountId }] = await twoReplicas(engine);
    const [older, newer] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
    const open = (masterKey: string) => openVault(storage, { masterKey, dataDirectory: '/nowhere' });
    const behind = await open(older);
    const vault = await open(`${newer},${older}`);
    const sealed = await storage.write((tx) => behind.encrypt(tx, accountId, 'secret'));
    const { 'vault.rotate': rotate } = vaultRoutes({
      administration: new VaultAdministration({ storage, vault }),
      // Not used by this test.
      secrets: {} as never,
      audit: { reader: storage.reader, pages: new Pages() },
    });
    const { call } = callsOn(storage);
    const admin = await authenticator.authenticateKey(adminKey, '192.0.2.7');
    const first = await rotate(call(admin));
    expect(first.data).toEqual({ rewrapped: 1, fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect((await rotate(call(admin))).data).toEqual({ ...first.data, rewrapped: 0 });
    expect(await (await open(newer)).decrypt(storage.reader, accountId, sealed)).toBe('secret');
    const events = await storage.reader.db
      .selectFrom('events')
      .select('data')
      .where('type', '=', 'audit.vault_rotated')
      .execute();
    expect(events).toHaveLength(2);
    expect(JSON.stringify(events)).not.toContain(newer);
  });
});
