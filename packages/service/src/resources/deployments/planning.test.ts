import { beforeAll, describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';

const PASSWORD = 'hunter2-and-more';

onBothEngines((engine) => {
  let service: RunningService;
  let number = 0;
  beforeAll(async () => {
    service = await startApp(engine);
  });

  async function createDefinition(serverId?: string) {
    const { client } = service;
    const bed = { name: 'bed', environment: 'staging' } as const;
    const server = { id: serverId ?? (await client.call('servers.register', { body: bed })).data.id };
    const uid = `plan-${++number}`;
    const inputs = { WEB_HOSTNAME: `${uid}.example.org`, SMTP_PASSWORD: PASSWORD };
    const body = { species: 'inkwell', instance_uid: uid, server_id: server.id, inputs };
    const { id } = (await client.call('definitions.create', { body })).data;
    const plan = async () => (await client.call('deployments.plan', { params: { id } })).data;
    const execute = (more: object = {}) =>
      service.request('POST', '/deployments/execute', { body: { definition_id: id, ...more } });
    const deploy = async () => {
      const { json } = await execute();
      const ended = { deployment_id: json.data.id, status: 'success' as const };
      return (await client.call('deployments.report', { body: ended })).data.instance_id ?? '';
    };
    const update = (body: object) => service.request('PUT', `/definitions/${id}`, { body });
    return { id, uid, plan, execute, deploy, update };
  }
  const changesOf = ({ components }: { components: { name: string; change: string }[] }) =>
    Object.fromEntries(components.map(({ name, change }) => [name, change]));

  describe('a plan', () => {
    it('of a definition that was never deployed creates everything', async () => {
      const { id, uid, plan } = await createDefinition();
      expect(await plan()).toMatchObject({
        definition_id: id,
        instance_id: null,
        revision: 1,
        deployed_revision: null,
        interruption: false,
        nothing_to_do: false,
        routes: [{ change: 'added', before: null, after: `https://${uid}.example.org` }],
        warnings: ['The server is not connected; the deployment waits for it.'],
      });
      const made = await plan();
      expect(new Set(Object.values(changesOf(made)))).toEqual(new Set(['created']));
      expect(made.pulls.length).toBeGreaterThan(0);
    });

    it('for a cluster says what the loss of a node means, and which routes would be refused', async () => {
      const body = { name: 'swarm', environment: 'staging', kind: 'cluster' };
      const { id: serverId } = (await service.request('POST', '/servers/register', { body })).json.data;
      const { plan } = await createDefinition(serverId);
      const report = (labels: object) => {
        const nodes = ['a', 'b'].map((id) => ({
          ...{ id, hostname: `node-${id}`, role: 'worker', availability: 'active', state: 'ready' },
          labels: id === 'a' ? labels : {},
        }));
        return service.request('PUT', `/servers/${serverId}/nodes`, { body: { nodes } });
      };
      const hash = (await plan()).plan_hash;
      expect((await report({})).status).toBe(200);
      expect((await plan()).warnings.join('\n')).toMatch(/refused: route .* has the label hortus.ingress=true/);
      await report({ 'hortus.ingress': 'true' });
      const { warnings, plan_hash } = await plan();
      expect(warnings.join('\n')).toMatch(/If .* is lost/);
      expect(warnings).toContain('If node node-a is lost, no route is served: it is the only node of the ingress.');
      expect(plan_hash).toBe(hash);
    });

    it('of a running definition changes nothing, and then shows what an input changes', async () => {
      const { uid, plan, deploy, update } = await createDefinition();
      const instance_id = await deploy();
      const nothing = await plan();
      expect(nothing).toMatchObject({ instance_id, nothing_to_do: true, pulls: [], jobs: [], deployed_revision: 1 });
      await update({ inputs: { SITE_TITLE: 'Newer', WEB_HOSTNAME: `new-${uid}.example.org` } });
      const { components, routes, revision } = await plan();
      expect(revision).toBe(2);
      expect(changesOf({ components })).toMatchObject({ app: 'replaced', db: 'unchanged' });
      const app = components.find(({ name }) => name === 'app');
      expect(app?.changes).toContainEqual({ field: 'env.SITE_TITLE', before: 'My blog', after: 'Newer', drift: false });
      expect(routes).toMatchObject([{ change: 'changed', after: `https://new-${uid}.example.org` }]);
    });

    it('shows that a secret changed, and never its value', async () => {
      const { plan, deploy, update } = await createDefinition();
      await deploy();
      await update({ inputs: { SMTP_PASSWORD: `${PASSWORD}-next` } });
      const made = await plan();
      const app = made.components.find(({ name }) => name === 'app');
      expect(app).toMatchObject({ change: 'replaced' });
      expect(app?.changes.map(({ before, after }) => [before, after])).toContainEqual(['***', '***']);
      expect(JSON.stringify(made)).not.toContain(PASSWORD);
      await deploy();
      expect(await plan()).toMatchObject({ nothing_to_do: true });
    });

    it('reverts manual changes to the containers', async () => {
      const { plan, deploy } = await createDefinition();
      const id = await deploy();
      const report = (drift: object[]) => service.request('POST', `/instances/${id}/drift`, { body: { drift } });
      await report([
        { component: 'app', field: 'limits.memory', declared: 1, actual: 2 },
        { component: 'db', field: 'component', declared: 'x', actual: null },
        { component: 'weed', field: 'component', declared: null, actual: 'x-weed' },
      ]);
      const { components, nothing_to_do } = await plan();
      expect(nothing_to_do).toBe(false);
      expect(changesOf({ components })).toMatchObject({ app: 'replaced', db: 'created', 'x-weed': 'removed' });
      expect(components.find(({ name }) => name === 'app')?.changes).toEqual([
        { field: 'limits.memory', before: 2, after: 1, drift: true },
      ]);
      await report([{ component: 'app', field: 'networks.hortus-x', declared: ['app'], actual: null }]);
      expect(changesOf(await plan())).toMatchObject({ app: 'unchanged', db: 'unchanged' });
    });

    it('after a rollback shows that the pinned digests are released', async () => {
      const { plan, execute, update } = await createDefinition();
      const image = 'registry.example.org/inkwell/inkwell:4.2.1';
      const [first, second] = [`sha256:${'a'.repeat(64)}`, `sha256:${'b'.repeat(64)}`];
      const database = { component: 'db', image: 'docker.io/library/mariadb:11.4', digest: first };
      const ended = (deployment_id: string, digest: string, of = image) =>
        service.client.call('deployments.report', {
          body: { deployment_id, status: 'success', images: [{ component: 'app', image: of, digest }, database] },
        });
      await ended((await execute()).json.data.id, first);
      await update({ inputs: { SITE_TITLE: 'Newer' } });
      const newer = (await execute()).json.data.id;
      await ended(newer, second);
      const back = await service.client.call('deployments.rollback', { params: { id: newer } });
      // The daemon left containers with those digests under the bare tag alone.
      await ended(back.data.id, first, `${image}@${first}`);
      const made = await plan();
      expect(made).toMatchObject({ revision: 1, deployed_revision: 1, nothing_to_do: false });
      expect(changesOf(made)).toMatchObject({ app: 'replaced', db: 'unchanged' });
      expect(made.components.find(({ name }) => name === 'app')?.changes).toEqual([
        { field: 'image', before: `${image}@${first}`, after: image, drift: false },
      ]);
      await ended((await execute({ plan_hash: made.plan_hash })).json.data.id, second);
      expect(await plan()).toMatchObject({ nothing_to_do: true });
    });

    it('of a component with storage waits for the old one to stop, and says so', async () => {
      const { plan, deploy, update } = await createDefinition();
      await deploy();
      await update({ profile: 'production' });
      const { components, interruption } = await plan();
      const replaced = components.filter(({ change, kind }) => change === 'replaced' && kind === 'service');
      expect(replaced.length).toBeGreaterThan(0);
      expect(interruption).toBe(replaced.some(({ strategy }) => strategy === 'recreate'));
    });
  });

  describe('a preview of a definition that does not exist yet', () => {
    const body = async (uid: string, more: object = {}) => {
      const { data: server } = await service.client.call('servers.register', {
        body: { name: 'bed', environment: 'staging' },
      });
      const inputs = { WEB_HOSTNAME: `${uid}.example.org`, SMTP_PASSWORD: PASSWORD };
      return { species: 'inkwell', instance_uid: uid, server_id: server.id, inputs, ...more };
    };
    const preview = (overrides: object) => service.request('POST', '/definitions/plan', { body: overrides });

    it('shows the plan of its first deployment, stores nothing and shows no secret', async () => {
      const before = (await service.client.call('definitions.list')).pagination.total;
      const { json } = await preview(await body('foreseen'));
      expect(json.data).toMatchObject({
        routes: [{ change: 'added', after: 'https://foreseen.example.org' }],
        warnings: ['The server is not connected; the deployment waits for it.'],
      });
      expect(json.data.volumes.length).toBeGreaterThan(0);
      expect(new Set(Object.values(changesOf(json.data)))).toEqual(new Set(['created']));
      expect(JSON.stringify(json)).not.toContain(PASSWORD);
      expect((await service.client.call('definitions.list')).pagination.total).toBe(before);
    });

    it('is the plan that the definition then has', async () => {
      const overrides = await body('same-plan', { profile: 'production', variant: 'alpine' });
      const { data: foreseen } = (await preview(overrides)).json;
      const { data } = await service.client.call('definitions.create', { body: overrides as never });
      const { data: plan } = await service.client.call('deployments.plan', { params: { id: data.id } });
      for (const part of ['components', 'jobs', 'routes', 'permissions', 'pulls', 'spec_hash'] as const)
        expect(foreseen[part], part).toEqual(plan[part]);
    });

    it('refuses what the creation would refuse, naming the field', async () => {
      const good = await body('refused');
      const refused = async (more: object, field: string) =>
        expectRefusal(await preview({ ...good, ...more }), 'VALIDATION_ERROR', field);
      await refused({ inputs: { ...good.inputs, WEB_HOSTNAME: 'no host' } }, 'inputs');
      await refused({ profile: 'giant' }, 'profile');
      await refused({ server_id: 'srv_00000000000000000000000000' }, 'server_id');
      const { uid } = await createDefinition();
      await refused({ instance_uid: uid }, 'instance_uid');
      const neighbour = await service.addAccount();
      expectRefusal(
        await neighbour.request('POST', '/definitions/plan', { body: good }),
        'VALIDATION_ERROR',
        'server_id',
      );
    });
  });

  describe('an order for a plan', () => {
    it('is accepted while the plan is current', async () => {
      const { plan, execute } = await createDefinition();
      const { plan_hash, spec_hash } = await plan();
      expect((await plan()).plan_hash).toBe(plan_hash);
      expect((await execute({ plan_hash, spec_hash })).status).toBe(201);
    });

    it('is refused if the plan or the template version has changed', async () => {
      const { id, plan, execute, update, deploy } = await createDefinition();
      const { plan_hash } = await plan();
      await update({ inputs: { SITE_TITLE: 'Newer' } });
      const refused = await execute({ plan_hash });
      expectRefusal(refused, 'VALIDATION_ERROR', 'plan_hash');
      expect(refused.json.error.details).toMatchObject({ reason: 'stale', plan_hash: (await plan()).plan_hash });
      expectRefusal(await execute({ spec_hash: `sha256:${'0'.repeat(64)}` }), 'VALIDATION_ERROR', 'spec_hash');
      const { data } = await service.client.call('deployments.list', { query: { definition_id: id } });
      expect(data).toEqual([]);
      // A deployment or drift happens between the plan and the order.
      const next = await plan();
      const instance = await deploy();
      expectRefusal(await execute({ plan_hash: next.plan_hash }), 'VALIDATION_ERROR', 'plan_hash');
      const last = await plan();
      const drift = [{ component: 'app', field: 'restart', declared: 'always', actual: 'no' }];
      await service.request('POST', `/instances/${instance}/drift`, { body: { drift } });
      expectRefusal(await execute({ plan_hash: last.plan_hash }), 'VALIDATION_ERROR', 'plan_hash');
    });

    it('cannot be planned for an archived definition', async () => {
      const { id } = await createDefinition();
      await service.client.call('definitions.archive', { params: { id } });
      expectRefusal(await service.request('POST', `/definitions/${id}/plan`), 'VALIDATION_ERROR', 'id');
    });
  });
});
