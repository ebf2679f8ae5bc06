import { randomBytes } from 'node:crypto';
import { specHash } from '@hortus/template/canonical/canonical';
import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { beforeAll, describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { insertKeyRow, type RunningService, startApp } from '../../testing/running-service.ts';
import { openTwoAccounts, received, refusal, sent } from './testing/two-accounts.ts';

const volumes = [
  { kind: 'volume', name: 'uploads' },
  { kind: 'volume', name: 'dbdata' },
] as const;

onBothEngines((engine) => {
  let installation: RunningService;
  beforeAll(async () => {
    installation = await startApp(engine);
  });

  describe('an export of a definition', () => {
    it('contains the values of its secrets; the audit list contains only their names', async () => {
      const { service, here, define, take } = await openTwoAccounts(installation);
      const id = await define();
      const { bundle, backup_id, warnings } = await take(id);
      expect({ backup_id, warnings, volumes: bundle.volumes }).toEqual({ backup_id: null, warnings: [], volumes: [] });
      expect(bundle).toMatchObject({ instance_uid: 'blog', name: 'Our blog', revision: 1, profile: 'development' });
      expect(bundle.inputs).toEqual({ WEB_HOSTNAME: 'blog.example.org' });
      expect(specHash(bundle.template.spec as unknown as Canonical)).toBe(bundle.template.spec_hash);
      const secrets = Object.fromEntries(bundle.secrets.map(({ name, value }) => [name, value]));
      expect(secrets.SMTP_PASSWORD).toBe('hunter2hunter2');
      expect(secrets.DB_PASSWORD?.length).toBeGreaterThan(8);
      const reported = (await service.eventsOf(id)).find(({ type }) => type === 'audit.definition_exported');
      expect(reported?.data).toMatchObject({
        definition_id: id,
        revision: 1,
        secrets: expect.arrayContaining(['DB_PASSWORD']),
      });
      for (const secret of Object.values(secrets)) expect(JSON.stringify(reported)).not.toContain(secret);
      const access = await here.client.call('vault.access', { query: { definition_id: id, access: 'exported' } });
      expect(access.data).toHaveLength(1);
    });

    it('needs a backup of all its volumes once it has been deployed', async () => {
      const { define, kept, take } = await openTwoAccounts(installation);
      const id = await define();
      const whole = await kept(id, volumes);
      expect(whole.params).toMatchObject({ extent: 'volumes' });
      expect(await refusal(take(id))).toMatchObject({ status: 422, reason: 'required', field: 'backup_id' });
      const dump = await kept(id, [{ kind: 'dump', name: 'db-dump' }, volumes[0]]);
      expect(await refusal(take(id, dump.id))).toMatchObject({ reason: 'incomplete' });
      expect(await refusal(take(await define('other'), whole.id))).toMatchObject({ reason: 'other_definition' });
      expect(await refusal(take(id, 'bkp_nowhere'))).toMatchObject({ reason: 'unknown', field: 'backup_id' });
      const { bundle, backup_id } = await take(id, whole.id);
      expect(backup_id).toBe(whole.id);
      expect(bundle.volumes).toEqual(volumes.map(({ name }) => ({ name, bytes: 4096 })));
    });

    it('streams its volumes through the service to callers with the permission', async () => {
      const { service, here, there, define, kept } = await openTwoAccounts(installation);
      const backup = await kept(await define(), volumes);
      const params = { id: backup.id };
      const fetch = (volume: string) => here.client.call('backups.fetch', { params, body: { volume } });
      expect(await refusal(fetch('nothing'))).toMatchObject({ status: 422, field: 'volume' });
      const { data: transfer } = await fetch('uploads');
      expect(transfer).toMatchObject({ mode: 'fetch', from_server_id: here.serverId, to_server_id: null });
      const [offered] = (await here.daemon.call('transfers.pending', { query: {} })).data;
      expect(offered?.order).toMatchObject({ role: 'send', volume: 'uploads', backup: { id: backup.id } });
      expect(Buffer.from(offered?.order?.backup?.key ?? '', 'base64')).toHaveLength(32);
      const seen = (await here.client.call('transfers.pending', { query: {} })).data;
      expect(seen.map(({ order }) => order)).toEqual([null]);
      const unprivileged = await insertKeyRow(service.database, {
        account_id: service.accountId,
        permissions: JSON.stringify(['definitions:write', 'backups:restore']),
      });
      for (const key of [unprivileged, there.caller.key, there.serverKey])
        await expect(received(service.base, key, transfer.id)).rejects.toThrow(/40[34]/);
      const content = randomBytes(9_000_000);
      const [, got] = await Promise.all([
        sent(service.base, here.serverKey, transfer.id, content),
        received(service.base, here.caller.key, transfer.id),
      ]);
      expect(got.equals(content)).toBe(true);
      const body = { status: 'completed', chunks: 3, bytes: content.length } as const;
      await here.client.call('transfers.report', { params: { id: transfer.id }, body });
      expect(
        await refusal(here.client.call('backups.fetch', { params: { id: 'bkp_x' }, body: { volume: 'uploads' } })),
      ).toMatchObject({ status: 404 });
      const { data: left } = await fetch('dbdata');
      await here.client.call('backups.delete', { params });
      const still = (await here.daemon.call('transfers.pending', { query: {} })).data;
      expect(still.map(({ id, order }) => ({ id, order }))).toEqual([{ id: left.id, order: null }]);
      const types = (await service.eventsOf(backup.id)).map(({ type }) => type);
      expect(types).toContain('audit.backup_fetched');
    });
  });

  describe('an import of a definition', () => {
    it('restores everything, secrets included, and deploys it', async () => {
      const { there, define, take, bring, becomes } = await openTwoAccounts(installation);
      const { bundle } = await take(await define());
      const begun = await bring(bundle);
      expect(begun).toMatchObject({ status: 'receiving', volumes: [], definition_id: null });
      const { definition_id, deployment_id } = await becomes(begun.id, 'completed');
      const params = { id: definition_id ?? '' };
      const definition = (await there.client.call('definitions.read', { params })).data;
      expect(definition).toMatchObject({ instance_uid: 'blog', name: 'Our blog', server_id: there.serverId });
      const again = (await there.client.call('definitions.export', { params, body: {} })).data.bundle;
      expect({ ...again, exported_at: '' }).toEqual({ ...bundle, exported_at: '' });
      const waiting = (await there.client.call('deployments.pending', { query: {} })).data;
      expect(waiting.map(({ id }) => id)).toEqual([deployment_id]);
    });

    it('creates the definition only when all volumes are filled', async () => {
      const { service, there, define, kept, take, bring, becomes, orders } = await openTwoAccounts(installation);
      const id = await define();
      const { bundle } = await take(id, (await kept(id, volumes)).id);
      const begun = await bring(bundle, { instance_uid: 'diary' });
      const none = async () => (await there.client.call('definitions.list')).data;
      const fill = async (volume: string) =>
        (await there.client.call('imports.fill', { params: { id: begun.id }, body: { volume } })).data;
      for (const { name } of volumes) {
        expect(await none()).toEqual([]);
        const transfer = await fill(name);
        expect(await fill(name)).toMatchObject({ id: transfer.id });
        const [order] = await orders();
        expect(order?.order).toMatchObject({ role: 'receive', mode: 'import', instance_uid: 'diary' });
        expect(order?.order?.volume).toContain('diary');
        const content = randomBytes(5_000_000);
        const [got] = await Promise.all([
          received(service.base, there.serverKey, transfer.id),
          sent(service.base, there.caller.key, transfer.id, content),
        ]);
        expect(got.equals(content)).toBe(true);
        const body = { status: 'completed', chunks: 2, bytes: content.length } as const;
        await there.daemon.call('transfers.report', { params: { id: transfer.id }, body });
      }
      const { volumes: filled, instance_uid } = await becomes(begun.id, 'completed');
      expect({ filled: filled.map((item) => item.filled), instance_uid }).toEqual({
        filled: [true, true],
        instance_uid: 'diary',
      });
      expect(await none()).toMatchObject([{ instance_uid: 'diary', name: 'diary' }]);
      expect(await refusal(there.client.call('imports.cancel', { params: { id: begun.id } }))).toMatchObject({
        reason: 'state',
      });
    });

    it('is refused for everything that would be refused later, and leaves nothing behind', async () => {
      const { there, define, take, bring } = await openTwoAccounts(installation);
      const { bundle } = await take(await define());
      const { template } = bundle;
      const why = async (...args: Parameters<typeof bring>) => {
        const { status, reason, field } = await refusal(bring(...args));
        expect(status).toBe(422);
        return `${field} ${reason}`;
      };
      const changed = { ...template.spec, description: 'Another one.' };
      expect(await why({ ...bundle, template: { ...template, spec: changed } })).toBe(
        'bundle.template.spec_hash spec_hash',
      );
      expect(await why({ ...bundle, template: { ...template, species: 'other' } })).toBe('bundle.template invalid');
      expect(await why({ ...bundle, template: { ...template, spec: { slug: 'x' } } })).toBe('spec invalid');
      expect(await why({ ...bundle, inputs: {} })).toBe('bundle.inputs.WEB_HOSTNAME invalid');
      expect(await why({ ...bundle, volumes: [{ name: 'attic', bytes: 1 }] })).toBe('bundle.volumes invalid');
      expect(await why({ ...bundle, profile: 'nightly' })).toBe('profile invalid');
      const foreign = [...bundle.secrets, { name: 'NOBODYS', kind: 'generated' as const, value: 'x' }];
      expect(await why({ ...bundle, secrets: foreign })).toBe('bundle.secrets invalid');
      const inputs = { WEB_HOSTNAME: 'taken.example.org', SMTP_PASSWORD: 'hunter2hunter2' };
      const body = { species: 'inkwell', instance_uid: 'taken', server_id: there.serverId, inputs };
      const { id } = (await there.client.call('definitions.create', { body })).data;
      expect(await why(bundle, { instance_uid: 'taken' })).toBe('instance_uid taken');
      await there.client.call('deployments.execute', { body: { definition_id: id } });
      const inItsPlace = { ...bundle, inputs: { WEB_HOSTNAME: 'taken.example.org' } };
      expect(await why(inItsPlace)).toContain('route_taken');
      const server_id = 'srv_nowhere';
      const elsewhere = there.client.call('definitions.import', { body: { server_id, bundle } });
      expect(await refusal(elsewhere)).toMatchObject({ status: 422, field: 'server_id' });
      expect((await there.client.call('definitions.list')).data.map((item) => item.instance_uid)).toEqual(['taken']);
      expect((await there.client.call('imports.list')).data).toEqual([]);
      expect((await there.client.call('deployments.list')).data).toHaveLength(1);
    });

    it('removes its volumes when it is cancelled, and can be repeated', async () => {
      const { there, define, kept, take, bring, becomes, orders } = await openTwoAccounts(installation);
      const id = await define();
      const { bundle } = await take(id, (await kept(id, volumes)).id);
      const first = await bring(bundle);
      expect(await refusal(bring(bundle))).toMatchObject({ reason: 'taken', field: 'instance_uid' });
      const order = { params: { id: first.id }, body: { volume: 'uploads' } };
      const { data: transfer } = await there.client.call('imports.fill', order);
      const cancelled = (await there.client.call('imports.cancel', { params: { id: first.id } })).data;
      expect(cancelled).toMatchObject({ status: 'failed', reason: 'cancelled', definition_id: null });
      const [discard, ...more] = await orders();
      expect(more).toEqual([]);
      expect(discard?.order).toMatchObject({ mode: 'discard', volume: expect.stringContaining('blog') });
      expect(await refusal(there.client.call('imports.fill', order))).toMatchObject({ reason: 'state' });
      const params = { id: discard?.id ?? '' };
      await there.daemon.call('transfers.report', { params, body: { status: 'completed' } });

      const second = await bring(bundle);
      const { data: next } = await there.client.call('imports.fill', { ...order, params: { id: second.id } });
      expect(next.id).not.toBe(transfer.id);
      const body = { status: 'failed', error: 'No space left on the device.' } as const;
      await there.daemon.call('transfers.report', { params: { id: next.id }, body });
      const failed = await becomes(second.id, 'failed');
      expect(failed).toMatchObject({ reason: 'transfer', error: expect.stringContaining('No space left') });
      expect((await there.client.call('definitions.list')).data).toEqual([]);
    });

    it('adds an unknown template to the account', async () => {
      const { there, define, take, bring, becomes } = await openTwoAccounts(installation);
      const { bundle } = await take(await define());
      const spec = { ...bundle.template.spec, slug: 'imported', version: '9.9.9' } as unknown as Canonical;
      const template = { species: 'imported', version: '9.9.9', spec_hash: specHash(spec), spec: { ...spec } };
      const { id } = await bring({ ...bundle, template: template as unknown as typeof bundle.template });
      const { definition_id } = await becomes(id, 'completed');
      const definition = (await there.client.call('definitions.read', { params: { id: definition_id ?? '' } })).data;
      expect(definition).toMatchObject({
        species: 'imported',
        template_version: '9.9.9',
        spec_hash: template.spec_hash,
      });
      const other = { ...spec, description: 'Another one.' } as Canonical;
      const clash = {
        ...template,
        spec: { ...other },
        spec_hash: specHash(other),
      } as unknown as typeof bundle.template;
      expect(await refusal(bring({ ...bundle, template: clash }, { instance_uid: 'second' }))).toMatchObject({
        field: 'version',
        reason: 'taken',
      });
    });

    it('answers a repeated request like the first', async () => {
      const { there, define, take, becomes } = await openTwoAccounts(installation);
      const { bundle } = await take(await define());
      const order = { body: { server_id: there.serverId, bundle }, idempotencyKey: 'once' };
      const first = (await there.client.call('definitions.import', order)).data;
      await becomes(first.id, 'completed');
      expect((await there.client.call('definitions.import', order)).data.id).toBe(first.id);
      expect((await there.client.call('imports.list')).data).toHaveLength(1);
    });
  });
});
