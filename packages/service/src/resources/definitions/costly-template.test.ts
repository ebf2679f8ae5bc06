import { beforeAll, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';

/** Its pattern and hash are computed by worker threads, for which no transaction may wait. */
const template = (version: string) => `slug: gate
name: Gate
version: ${version}
archetype: worker
taxonomy: {kingdom: data, family: test}
image: {repository: gate, tag: "${version}"}
inputs: {optional: [{name: CODE, type: string, pattern: "(a|b)+", default: a}]}
secrets: {PASSWORD: {generate: password, length: 40}}
env: {CODE: "\${inputs.CODE}", HASH: "\${secrets.PASSWORD | bcrypt}"}
`;

onBothEngines((engine) => {
  let service: RunningService;
  let server: { id: string; key: string };

  beforeAll(async () => {
    service = await startApp(engine);
    const body = { name: 'server-1', environment: 'staging' };
    const { data } = (await service.request('POST', '/servers/register', { body })).json;
    server = { id: data.id, key: data.api_key };
    await publish('1.0.0');
  });

  const done = async (method: string, path: string, body?: object, key?: string) => {
    const { status, json } = await service.request(method, path, { body, ...(key === undefined ? {} : { key }) });
    expect(status, JSON.stringify(json)).toBeLessThan(300);
    return json.data;
  };
  const publish = async (version: string) => {
    const { id } = await done('POST', '/templates', { source: template(version) });
    await done('POST', `/templates/${id}/validate`);
    await done('POST', `/templates/${id}/promote`);
  };
  const createDefinition = (instance_uid: string) =>
    done('POST', '/definitions', { species: 'gate', instance_uid, server_id: server.id, inputs: { CODE: 'b' } });

  it('inputs with a pattern are checked before the transaction', async () => {
    const { id } = await createDefinition('gate-1');
    expect(await done('PUT', `/definitions/${id}`, { inputs: { CODE: 'ab' } })).toMatchObject({
      current_revision: 2,
      inputs: { CODE: 'ab' },
    });
    const refused = await service.request('PUT', `/definitions/${id}`, { body: { inputs: { CODE: 'c' } } });
    expectRefusal(refused, 'VALIDATION_ERROR', 'inputs');
  });

  it('concurrent changes get a revision each', async () => {
    const { id } = await createDefinition('gate-2');
    const changes = await Promise.all(
      ['aa', 'bb', 'ab'].map((CODE) => done('PUT', `/definitions/${id}`, { inputs: { CODE } })),
    );
    expect(changes.map(({ current_revision }) => current_revision).sort()).toEqual([2, 3, 4]);
  });

  it('a manifest with a hash is resolved before the transaction', async () => {
    const { id } = await createDefinition('gate-3');
    const plan = await done('POST', `/definitions/${id}/plan`);
    await done('POST', '/deployments/execute', { definition_id: id, plan_hash: plan.plan_hash });
    const { components } = await done('GET', `/manifest?definition_id=${id}`, undefined, server.key);
    expect(components[0].env).toMatchObject({ CODE: 'b', HASH: expect.stringMatching(/^\$2b\$10\$/) });
  });

  it('a plan before creation is computed by workers, and names the input that the creation would refuse', async () => {
    const body = (CODE: string) => ({
      species: 'gate',
      instance_uid: 'gate-4',
      server_id: server.id,
      inputs: { CODE },
    });
    const plan = await done('POST', '/definitions/plan', body('b'));
    expect(plan.components).toMatchObject([{ name: 'main', change: 'created' }]);
    const refused = await service.request('POST', '/definitions/plan', { body: body('c') });
    expectRefusal(refused, 'VALIDATION_ERROR', 'inputs');
  });
});
