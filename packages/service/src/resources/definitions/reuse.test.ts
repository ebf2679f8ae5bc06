import { beforeAll, describe, expect, it } from 'vitest';
import { onDifferingEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';

onDifferingEngines('unique indexes and concurrent transactions', (engine) => {
  let service: RunningService;
  let server_id: string;
  let number = 0;

  beforeAll(async () => {
    service = await startApp(engine);
    const body = { name: 'server-1', environment: 'staging' } as const;
    server_id = (await service.client.call('servers.register', { body })).data.id;
  });

  const create = (instance_uid: string) => {
    const inputs = { WEB_HOSTNAME: 'blog.example.org' };
    return service.request('POST', '/definitions', { body: { species: 'inkwell', instance_uid, server_id, inputs } });
  };
  const created = async (uid: string) => (await create(uid)).json.data as { id: string; container_name: string };
  const archive = (id: string, query = '') => service.request('DELETE', `/definitions/${id}${query}`);
  const activate = (id: string) => service.request('POST', `/definitions/${id}/activate`);
  const manifest = async (query: string) => (await service.request('GET', `/manifest?${query}`)).json.data;
  const volumes = ({ components }: { components: { storage: { volume?: string }[] }[] }) =>
    components.flatMap(({ storage }) => storage.flatMap(({ volume }) => volume ?? []));

  describe('the uid of an archived definition', () => {
    it.each(['', '?container=keep'])(
      'is free for another one, whose names on the server differ (%s)',
      async (query) => {
        const uid = `reused-${++number}`;
        const old = await created(uid);
        await archive(old.id, query);
        const { status, json } = await create(uid);
        expect(status).toBe(201);
        expect(json.data).toMatchObject({ name: uid, instance_uid: uid, status: 'pending' });
        expect(old.container_name).toBe(uid);
        expect(json.data.container_name).toMatch(new RegExp(`^${uid}-[0-9a-z]{8}$`));
        const [former, present] = [await manifest(`definition_id=${old.id}`), await manifest(`instance_uid=${uid}`)];
        expect(present).toMatchObject({ definition_id: json.data.id, instance_uid: uid });
        expect(volumes(former).every((name) => name.startsWith(`${uid}_`))).toBe(true);
        expect(volumes(present).every((name) => name.startsWith(`${json.data.container_name}_`))).toBe(true);
        expect(volumes(present).length).toBeGreaterThan(0);
      },
    );

    it('is restored by activate only while it is free', async () => {
      const uid = `back-${++number}`;
      const old = await created(uid);
      await archive(old.id);
      const young = await created(uid);
      const refused = await activate(old.id);
      expectRefusal(refused, 'VALIDATION_ERROR', 'id');
      expect(refused.json.error.details).toMatchObject({ reason: 'taken', definition_id: young.id, instance_uid: uid });
      await archive(young.id);
      expect((await activate(old.id)).json.data).toMatchObject({ instance_uid: uid, container_name: uid });
      expectRefusal(await activate(young.id), 'VALIDATION_ERROR', 'id');
      expectRefusal(await create(uid), 'VALIDATION_ERROR', 'instance_uid');
    });

    it('goes to one of several concurrent creations', async () => {
      const uid = `raced-${++number}`;
      await archive((await created(uid)).id);
      const responses = await Promise.all(Array.from({ length: 8 }, () => create(uid)));
      expect(responses.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422, 422, 422, 422, 422]);
    });

    it('goes to a creation or a concurrent activation, never to both', async () => {
      for (let round = 0; round < 5; round++) {
        const uid = `either-${++number}`;
        const old = await created(uid);
        await archive(old.id);
        const responses = await Promise.all([create(uid), activate(old.id), create(uid), activate(old.id)]);
        const good = responses.filter(({ status }) => status < 300);
        expect(good).toHaveLength(1);
        for (const { status } of responses) expect([200, 201, 422]).toContain(status);
      }
    });

    it('can be reused many times', async () => {
      const uid = `often-${++number}`;
      const names = new Set<string>();
      for (let round = 0; round < 4; round++) {
        const { id, container_name } = await created(uid);
        names.add(container_name);
        await archive(id);
      }
      expect(names.size).toBe(4);
    });
  });

  it('a uid that equals the name of another definition on the server is no conflict', async () => {
    const uid = `twin-${++number}`;
    await archive((await created(uid)).id);
    const { container_name } = await created(uid);
    const third = await created(container_name);
    expect(third.container_name).not.toBe(container_name);
    expect((await manifest(`instance_uid=${container_name}`)).definition_id).toBe(third.id);
  });
});
