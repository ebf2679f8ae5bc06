import { beforeAll, describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type Caller, type RunningService, startApp } from '../../testing/running-service.ts';

onBothEngines((engine) => {
  let service: RunningService;
  let server_id: string;
  let template_id: string;
  let number = 0;

  const aServer = async ({ client }: Caller) =>
    (await client.call('servers.register', { body: { name: 'server-1', environment: 'staging' } })).data.id;

  beforeAll(async () => {
    service = await startApp(engine);
    server_id = await aServer(service);
    template_id = (await service.request('GET', '/templates/inkwell')).json.data.id;
  });

  const inputs = { WEB_HOSTNAME: 'blog.example.org' };
  const bySpecies = () => ({ species: 'inkwell', instance_uid: `blog-${++number}`, server_id, inputs });
  const byTemplate = () => ({ template_id, name: `Our blog ${++number}`, server_id, params: inputs });
  const create = (body: object, caller: Caller = service) => caller.request('POST', '/definitions', { body });
  const refused = async (body: object, field: string, message?: string | RegExp) => {
    const response = await create(body);
    expectRefusal(response, 'VALIDATION_ERROR');
    expect(response.json.error.details.field).toBe(field);
    expect(response.json.error.message).toMatch(message ?? field);
    return response.json.error;
  };

  describe('both published forms of creating a definition', () => {
    it('take a species with an instance_uid', async () => {
      const order = bySpecies();
      const { status, json } = await create(order);
      expect(status).toBe(201);
      expect(json.data).toMatchObject({
        species: 'inkwell',
        template_id,
        template_version: '1.2.0',
        server_id,
        name: order.instance_uid,
        instance_uid: order.instance_uid,
        container_name: order.instance_uid,
        profile: 'development',
        variant: null,
        inputs,
        secret_inputs: [],
        status: 'pending',
        current_revision: 1,
      });
      expect(json.data.created_at).toBe(json.data.updated_at);
      expect((await service.request('GET', `/definitions/${json.data.id}`)).json.data).toEqual(json.data);
    });

    it('take a template with a name, and create the same record', async () => {
      const order = byTemplate();
      const { status, json } = await create(order);
      expect(status).toBe(201);
      expect(json.data).toMatchObject({
        name: order.name,
        instance_uid: order.name.toLowerCase().replaceAll(' ', '-'),
        template_id,
        inputs,
        profile: 'development',
        status: 'pending',
        current_revision: 1,
      });
      const other = (await create(bySpecies())).json.data;
      expect(Object.keys(json.data)).toEqual(Object.keys(other));
      expect(json.data.spec_hash).toBe(other.spec_hash);
    });

    it('take inputs under either name', async () => {
      const { inputs: _, ...order } = bySpecies();
      expect((await create({ ...order, params: inputs })).json.data.inputs).toEqual(inputs);
    });

    it('cannot be mixed', async () => {
      await refused({ ...bySpecies(), template_id }, 'template_id', 'together with species');
      await refused({ name: 'x', instance_uid: 'x', server_id, inputs }, 'species', 'species or template_id');
      await refused({ ...bySpecies(), params: inputs }, 'params', 'another name for inputs');
    });

    it.each(['instance_uid', 'server_id', 'inputs'])('require %s with a species', async (field) => {
      await refused({ ...bySpecies(), [field]: undefined }, field, 'is required');
    });

    it.each(['name', 'server_id', 'params'])('require %s with a template', async (field) => {
      await refused({ ...byTemplate(), [field]: undefined }, field, 'is required');
    });
  });

  describe('the name of a definition', () => {
    it.each([
      ['Our Blog!', 'our-blog'],
      ['  Ärger & Café  ', 'arger-cafe'],
      ['日本 2', '2'],
      [`${'long '.repeat(14)}name`, 'long-'.repeat(12).concat('lon')],
      [`${'x'.repeat(62)} y`, 'x'.repeat(62)],
    ])('%s makes the uid %s', async (name, uid) => {
      expect((await create({ ...byTemplate(), name })).json.data).toMatchObject({ name, instance_uid: uid });
    });

    it('may be in any script; the uid is generated if the name has no usable characters', async () => {
      const { status, json: generated } = await create({ ...byTemplate(), name: '数据库' });
      expect(status).toBe(201);
      expect(generated.data).toMatchObject({
        name: '数据库',
        instance_uid: expect.stringMatching(/^inkwell-[0-9a-f]{8}$/),
      });
      const instance_uid = `nihon-${++number}`;
      const { json } = await create({ ...byTemplate(), name: '日本', instance_uid });
      expect(json.data).toMatchObject({ name: '日本', instance_uid });
    });

    it.each(['-blog', 'our blog', 'blog/1', '../blog', ''])('a uid is not %j', async (instance_uid) => {
      await refused({ ...bySpecies(), instance_uid }, 'instance_uid');
    });
  });

  describe('a uid that is taken', () => {
    it('is refused if it was given', async () => {
      await create({ ...byTemplate(), name: 'Taken already' });
      const body = { ...bySpecies(), instance_uid: 'taken-already' };
      expect(await refused(body, 'instance_uid', 'taken-already')).toMatchObject({ details: { reason: 'taken' } });
    });

    it('is replaced by a generated one if only a name was given, because names need not be unique', async () => {
      const name = `Twice ${++number}`;
      const [first, second] = [await create({ ...byTemplate(), name }), await create({ ...byTemplate(), name })];
      expect([first.status, second.status]).toEqual([201, 201]);
      expect(second.json.data.name).toBe(name);
      expect(second.json.data.instance_uid).toMatch(new RegExp(`^${first.json.data.instance_uid}-[0-9a-z]{8}$`));
    });

    it('may be used by another account', async () => {
      const neighbour = await service.addAccount();
      const order = bySpecies();
      expect((await create(order)).status).toBe(201);
      const theirs = await create({ ...order, server_id: await aServer(neighbour) }, neighbour);
      expect(theirs.status).toBe(201);
    });

    it('goes to one of several concurrent requests', async () => {
      const order = bySpecies();
      const responses = await Promise.all(Array.from({ length: 6 }, () => create(order)));
      expect(responses.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422, 422, 422]);
      for (const response of responses.filter(({ status }) => status === 422))
        expectRefusal(response, 'VALIDATION_ERROR', 'instance_uid');
    });
  });

  describe('the references of a definition', () => {
    it('the species, the template and the server must exist', async () => {
      await refused({ ...bySpecies(), species: 'dandelion' }, 'species', 'dandelion');
      await refused(
        { ...byTemplate(), template_id: template_id.replace(/.$/, 'u') },
        'template_id',
        'no such published',
      );
      await refused({ ...bySpecies(), server_id: 'srv_nowhere' }, 'server_id', 'no such server');
    });

    it('a server of another account or a removed one is refused', async () => {
      const theirs = await aServer(await service.addAccount());
      await refused({ ...bySpecies(), server_id: theirs }, 'server_id', 'no such server');
      const gone = await aServer(service);
      await service.request('DELETE', `/servers/${gone}`);
      await refused({ ...bySpecies(), server_id: gone }, 'server_id', 'no such server');
    });
  });

  describe('the profile and variant of a definition', () => {
    it.each(['minimal', 'development', 'production'])('the profile %s always exists', async (profile) => {
      expect((await create({ ...bySpecies(), profile })).json.data.profile).toBe(profile);
      const seed = { species: 'seed', instance_uid: `seed-${++number}`, server_id, inputs: {}, profile };
      expect((await create(seed)).json.data.profile).toBe(profile);
    });

    it('others are refused with a list of valid ones', async () => {
      await refused({ ...bySpecies(), profile: 'lavish' }, 'profile', /minimal.*production/);
      await refused({ ...bySpecies(), profile: 'constructor' }, 'profile');
      await refused({ ...bySpecies(), variant: 'slim' }, 'variant', 'debian, alpine');
      const seed = { species: 'seed', instance_uid: `seed-${++number}`, server_id, inputs: {}, variant: 'slim' };
      await refused(seed, 'variant', 'no variants');
      expect((await create({ ...bySpecies(), variant: 'alpine' })).json.data.variant).toBe('alpine');
    });
  });

  describe('the inputs of a definition', () => {
    const wrong = { WEB_HOSTNAME: 'not a host', LOG_LEVEL: 'loud', COLOUR: 'green' };

    it('are refused all at once, by the name that the caller used', async () => {
      const asInputs = await refused({ ...bySpecies(), inputs: wrong }, 'inputs.WEB_HOSTNAME');
      const fields = (error: { details: { problems: { field: string }[] } }) =>
        error.details.problems.map(({ field }) => field).sort();
      expect(fields(asInputs)).toEqual(['inputs.COLOUR', 'inputs.LOG_LEVEL', 'inputs.WEB_HOSTNAME']);
      const asParams = await refused({ ...byTemplate(), params: wrong }, 'params.WEB_HOSTNAME');
      expect(fields(asParams)).toEqual(['params.COLOUR', 'params.LOG_LEVEL', 'params.WEB_HOSTNAME']);
      expect(asParams.message).toMatch(/^params\.WEB_HOSTNAME: /);
    });

    it('are refused when one that is required is missing', async () => {
      await refused({ ...bySpecies(), inputs: {} }, 'inputs.WEB_HOSTNAME', 'is required');
      await refused({ ...byTemplate(), params: {} }, 'params.WEB_HOSTNAME', 'is required');
      const courier = { species: 'courier', instance_uid: `courier-${++number}`, server_id, inputs: {} };
      await refused(courier, 'inputs.API_TOKEN', 'is required');
    });

    it('show only the name of a password', async () => {
      const secret = 'hunter2-and-more';
      const { json } = await create({ ...bySpecies(), inputs: { ...inputs, SMTP_PASSWORD: secret } });
      expect(json.data).toMatchObject({ inputs, secret_inputs: ['SMTP_PASSWORD'] });
      const responses = await Promise.all(
        ['', '/revisions', '/secrets'].map((part) => service.request('GET', `/definitions/${json.data.id}${part}`)),
      );
      expect(JSON.stringify([json, ...responses.map((response) => response.json)])).not.toContain(secret);
    });
  });

  it('definitions are listed by server and by status, newest first', async () => {
    const [here, there] = [await aServer(service), await aServer(service)];
    const ids: string[] = [];
    for (const on of [here, there, here]) ids.push((await create({ ...bySpecies(), server_id: on })).json.data.id);
    const listed = async (query: string) =>
      (await service.request('GET', `/definitions?${query}`)).json.data.map(({ id }: { id: string }) => id);
    expect(await listed(`server_id=${here}`)).toEqual([ids[2], ids[0]]);
    await service.request('DELETE', `/definitions/${ids[0]}`);
    expect(await listed(`server_id=${here}&status=archived`)).toEqual([ids[0]]);
    expect(await listed(`server_id=${here}`)).toEqual([ids[2]]);
    expect(await listed(`server_id=${here}&status=all`)).toEqual([ids[2], ids[0]]);
    expect(await listed(`server_id=${here}&status=pending`)).toEqual([ids[2]]);
    expect(await listed(`server_id=${there}&status=active`)).toEqual([]);
    expect(await listed('server_id=srv_nowhere')).toEqual([]);
    expectRefusal(await service.request('GET', '/definitions?status=wilted'), 'VALIDATION_ERROR', 'status');
  });
});
