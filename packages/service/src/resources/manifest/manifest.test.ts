import { createHash, createPublicKey, verify } from 'node:crypto';
import { manifestEndpoints, type SignedManifest } from '@hortus/contract/resources/manifest';
import { canonicalJson } from '@hortus/template/canonical/canonical-json';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Principal } from '../../identity/principal.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { expectShape } from '../../testing/published-response.ts';
import { openVault } from '../../vault/vault.ts';
import { type DeploymentServices, openDeploymentServices } from '../deployments/testing/deployment-services.ts';
import type { ManifestQuery } from './reading.ts';
import { openManifestSigner } from './signer.ts';

const SECRET = 'hunter2hunter2';

onBothEngines((engine) => {
  let services: DeploymentServices;
  let owner: Principal;
  let daemon: Principal & { kind: 'server' };

  beforeAll(async () => {
    services = await openDeploymentServices(engine);
    owner = await services.account();
    daemon = await services.server(owner);
  });

  const createDefinition = () => services.definition(owner, daemon.serverId, { SMTP_PASSWORD: SECRET });
  const asDaemon = (query: ManifestQuery, by: Principal = daemon, secure = true, from = services) =>
    from.storage.write((tx) => from.reading.forDaemon(tx, by, query, secure));
  const asPerson = (query: ManifestQuery, by: Principal = owner) =>
    services.reading.forPerson(services.storage.reader, by, query);
  const envOf = ({ components }: SignedManifest) => components.find(({ name }) => name === 'app')?.env;
  const valid = ({ signature, ...rest }: SignedManifest) => {
    const key = createPublicKey({
      key: Buffer.from(services.manifests.publicKey(), 'base64'),
      format: 'der',
      type: 'spki',
    });
    return verify(null, Buffer.from(canonicalJson(rest)), key, Buffer.from(signature ?? '', 'base64'));
  };

  describe('the manifest for the daemon of the server', () => {
    it('contains secrets and a signature over everything', async () => {
      const { id, instance_uid } = await createDefinition();
      const manifest = await asDaemon({ definition_id: id });
      expect(manifest).toMatchObject({
        definition_id: id,
        deployment_id: null,
        instance_uid,
        server_id: daemon.serverId,
        revision: 1,
        species: 'inkwell',
        signed_at: new Date(services.now()).toISOString(),
      });
      const spki = Buffer.from(services.manifests.publicKey(), 'base64');
      expect(manifest.public_key_id).toBe(`sha256:${createHash('sha256').update(spki).digest('hex')}`);
      expect(envOf(manifest)).toMatchObject({ SMTP_PASSWORD: SECRET, BASE_URL: `https://${instance_uid}.example.org` });
      expect(envOf(manifest)?.DATABASE_URL).toMatch(/^postgres:\/\/inkwell:.{20,}@/);
      expect(valid(manifest)).toBe(true);
      // As it arrives: through JSON, with keys in any order.
      const arrived = JSON.parse(JSON.stringify(manifest)) as SignedManifest;
      expect(valid(Object.fromEntries(Object.entries(arrived).reverse()) as SignedManifest)).toBe(true);
      for (const change of [
        { revision: 2 },
        { server_id: 'srv_x' },
        { deployment_id: 'dep_x' },
        { spec_hash: 'sha256:0' },
      ])
        expect(valid({ ...manifest, ...change })).toBe(false);
      expectShape(manifestEndpoints['manifest.read'].response, { success: true, data: manifest });
      expect((await services.eventsOf(id)).at(-1)).toMatchObject({
        type: 'audit.manifest_read',
        actor: daemon.serverId,
      });
    });

    it('is found by uid and by deployment too', async () => {
      const { id, instance_uid } = await createDefinition();
      const { id: deployment_id } = await services.execute(owner, id);
      expect(await asDaemon({ instance_uid })).toMatchObject({ definition_id: id, deployment_id });
      expect(await asDaemon({ deployment_id })).toMatchObject({ definition_id: id, deployment_id });
    });

    it('names the trace of its order only to a daemon that understands traces', async () => {
      const { id } = await createDefinition();
      const { id: deployment_id } = await services.execute(owner, id);
      const set = (capabilities: string[], trace_parent: string | null) =>
        services.storage.write(async (tx) => {
          const server = tx.db.updateTable('servers').set({ capabilities: JSON.stringify(capabilities) });
          await server.where('id', '=', daemon.serverId).execute();
          await tx.db.updateTable('deployments').set({ trace_parent }).where('id', '=', deployment_id).execute();
        });
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
      await set(['seal'], traceparent);
      expect(await asDaemon({ deployment_id })).not.toHaveProperty('traceparent');
      await set(['seal', 'trace'], null);
      expect(await asDaemon({ deployment_id })).not.toHaveProperty('traceparent');
      await set(['seal', 'trace'], traceparent);
      const manifest = await asDaemon({ deployment_id });
      expect(manifest.traceparent).toBe(traceparent);
      expect(valid(manifest)).toBe(true);
      expect(valid({ ...manifest, traceparent: '00-1' })).toBe(false);
      expect(await asPerson({ deployment_id })).not.toHaveProperty('traceparent');
    });

    it('is of the revision that the oldest unfinished deployment pins', async () => {
      const { id } = await createDefinition();
      const first = await services.execute(owner, id);
      await services.revise(owner, id, 'Two');
      const second = await services.execute(owner, id);
      await services.revise(owner, id, 'Three');
      const seen = async (query: ManifestQuery = { definition_id: id }) => {
        const { revision, deployment_id } = await asDaemon(query);
        return [revision, deployment_id];
      };
      expect(await seen()).toEqual([1, first.id]);
      await services.patch(daemon, first.id, { status: 'running' });
      expect(await seen()).toEqual([1, first.id]);
      expect(await seen({ deployment_id: second.id })).toEqual([2, second.id]);
      await services.patch(daemon, first.id, { status: 'failed' });
      expect(await seen()).toEqual([2, second.id]);
      await services.patch(daemon, second.id, { status: 'success' });
      expect(await seen()).toEqual([3, null]);
      expect(await seen({ deployment_id: first.id })).toEqual([1, first.id]);
    });

    it('is refused to other servers', async () => {
      const { id, instance_uid } = await createDefinition();
      const { id: deployment_id } = await services.execute(owner, id);
      const outsider = await services.account();
      for (const other of [await services.server(owner), await services.server(outsider)])
        for (const query of [{ definition_id: id }, { instance_uid }, { deployment_id }])
          await expect(asDaemon(query, other)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

    it('is not sent in plain text, unless the operator allows it', async () => {
      const { id } = await createDefinition();
      const refusal = { code: 'FORBIDDEN', details: { reason: 'plaintext' } };
      await expect(asDaemon({ definition_id: id }, daemon, false)).rejects.toMatchObject(refusal);
      const closed = await openDeploymentServices(engine, { allowPlaintext: true });
      const me = await closed.account();
      const there = await closed.server(me);
      const own = await closed.definition(me, there.serverId);
      expect((await asDaemon({ definition_id: own.id }, there, false, closed)).signature).not.toBeNull();
    });
  });

  describe('the manifest for users', () => {
    it('has null for every secret and no signature', async () => {
      const { id } = await createDefinition();
      await services.execute(owner, id);
      await services.revise(owner, id, 'Two');
      const manifest = await asPerson({ definition_id: id });
      expect(manifest).toMatchObject({ revision: 2, deployment_id: null, signature: null });
      expect(envOf(manifest)).toMatchObject({ SMTP_PASSWORD: null, DATABASE_URL: null, SITE_TITLE: 'Two' });
      const whole = await asDaemon({ definition_id: id });
      const dsn = envOf(whole)?.DATABASE_URL ?? '';
      for (const secret of [SECRET, dsn, /inkwell:(.*)@/.exec(dsn)?.[1] ?? dsn])
        expect(JSON.stringify(manifest)).not.toContain(secret);
      expectShape(manifestEndpoints['manifest.read'].response, { success: true, data: manifest });
    });

    it('is of the revision of a deployment on request', async () => {
      const { id } = await createDefinition();
      const { id: deployment_id } = await services.execute(owner, id);
      await services.revise(owner, id, 'Two');
      expect(await asPerson({ deployment_id })).toMatchObject({ revision: 1, deployment_id, signature: null });
    });

    it('needs exactly one name, and hides other accounts', async () => {
      const { id, instance_uid } = await createDefinition();
      const { id: deployment_id } = await services.execute(owner, id);
      for (const query of [{}, { definition_id: id, instance_uid }])
        await expect(asPerson(query)).rejects.toMatchObject({
          code: 'VALIDATION_ERROR',
          details: { field: 'definition_id' },
        });
      const outsider = await services.account();
      for (const query of [{ definition_id: id }, { instance_uid }, { deployment_id }])
        await expect(asPerson(query, outsider)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });
  });

  it('manifests are signed by one key, whichever replica created them', async () => {
    const testDatabase = await engine.testDatabase();
    const storage = await testDatabase.open();
    const settings = { masterKey: Buffer.alloc(32, 'x').toString('base64'), dataDirectory: '/nowhere' };
    const others =
      engine.name === 'postgres' ? [await testDatabase.open(), await testDatabase.open()] : [storage, storage];
    const signers = await Promise.all(
      [storage, ...others].map(async (on) => openManifestSigner(on, await openVault(on, settings))),
    );
    expect(new Set(signers.map(({ publicKey }) => publicKey)).size).toBe(1);
    const kept = await storage.reader.db.selectFrom('settings').selectAll().execute();
    expect(JSON.stringify(kept)).not.toContain('PRIVATE KEY');
    const [first, ...rest] = signers.map((signer) => signer.sign({ revision: 1 } as never).signature);
    for (const signature of rest) expect(signature).toBe(first);
  });
});
