import { beforeAll, describe, expect, it } from 'vitest';
import { DaemonSocket } from '../../testing/daemon-socket.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type Caller, type RunningService, startApp } from '../../testing/running-service.ts';

onBothEngines((engine) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startApp(engine, { appsDomain: '{address}.apps.example.org' });
  });

  const domain = '127-0-0-1.apps.example.org';
  /** Registers a server whose daemon has connected once. */
  async function connectedServer(caller: Caller, about: object = {}) {
    const { data } = await caller.client.call('servers.register', { body: { name: 'web', environment: 'staging' } });
    const auth = { api_key: data.api_key, capabilities: ['ack'], ...about };
    const daemon = new DaemonSocket(service.base.replace('http', 'ws').concat('/ws/server'), { auth });
    await daemon.received('authenticated');
    daemon.socket.close();
    await daemon.closed;
    return data.id;
  }
  const order = (server_id: string, more: object = {}) => ({ species: 'inkwell', server_id, inputs: {}, ...more });
  const create = (body: object, caller: Caller = service) => caller.request('POST', '/definitions', { body });

  describe('a required domain that is the host of a route', () => {
    it('is chosen by the service if it is absent, and shown beforehand by the server', async () => {
      const server_id = await connectedServer(service);
      const { data: server } = await service.client.call('servers.read', { params: { id: server_id } });
      expect(server).toMatchObject({ apps_domain: domain, daemon: { address: '127.0.0.1' } });
      const { json } = await create(order(server_id, { instance_uid: 'Blog_1' }));
      expect(json.data.inputs).toEqual({ WEB_HOSTNAME: `blog-1.${domain}` });
      const overrides = { WEB_HOSTNAME: 'www.example.org' };
      const own = await create(order(server_id, { instance_uid: 'own', inputs: overrides }));
      expect(own.json.data.inputs).toEqual(overrides);
    });

    it('follows the uid that is chosen because the derived one is taken', async () => {
      const server_id = await connectedServer(service);
      const template_id = (await service.request('GET', '/templates/inkwell')).json.data.id;
      const named = () => create({ template_id, name: 'Our pages', server_id, params: {} });
      const [first, second] = [(await named()).json.data, (await named()).json.data];
      expect(first.inputs.WEB_HOSTNAME).toBe(`our-pages.${domain}`);
      expect(second.instance_uid).not.toBe(first.instance_uid);
      expect(second.inputs.WEB_HOSTNAME).toBe(`${second.instance_uid}.${domain}`);
    });

    it('stays required on a server whose daemon never connected, and on servers of other accounts', async () => {
      const { data } = await service.client.call('servers.register', { body: { name: 'new', environment: 'staging' } });
      const outsider = await service.addAccount();
      const theirs = await connectedServer(outsider);
      for (const server_id of [data.id, theirs]) {
        const response = await create(order(server_id, { instance_uid: 'blog' }));
        expectRefusal(response, 'VALIDATION_ERROR');
        expect(response.json.error.message).toBe('inputs.WEB_HOSTNAME: is required');
      }
    });

    it('is in the plan of a definition that does not exist yet, with the port of the ingress', async () => {
      const server_id = await connectedServer(service, { ingress_ports: { http: 8080, https: 8443 } });
      const body = order(server_id, { instance_uid: 'planned' });
      const { json } = await service.request('POST', '/definitions/plan', { body });
      expect(json.data.routes[0]).toMatchObject({ after: `https://planned.${domain}:8443` });
    });
  });
});
