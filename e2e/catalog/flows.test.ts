import { FIRST_FILL_MS } from '@hortus/testkit/test-cache';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CatalogInstallation, hasOwnEngine, openCatalogInstallation } from './catalog-installation.ts';
import { type DeployedSpecies, deploySpecies } from './deployed-species.ts';
import { survivesLoss } from './loss.ts';
import { upgrades } from './upgrade.ts';
import { Visitor } from './visitor.ts';

if (hasOwnEngine) {
  let catalogInstallation: CatalogInstallation;
  beforeAll(async () => {
    catalogInstallation = await openCatalogInstallation('node-red', 'mosquitto');
  }, FIRST_FILL_MS);
  afterAll(() => catalogInstallation?.[Symbol.asyncDispose]());

  test('Node-RED keeps flows and collected MQTT messages after a loss and an upgrade', {
    timeout: 600_000,
  }, async () => {
    const broker = await deploySpecies(catalogInstallation, 'mosquitto', { WEB_HOSTNAME: 'mqtt.example.org' });
    const deployed = await deploySpecies(catalogInstallation, 'node-red', { WEB_HOSTNAME: 'red.example.org' });
    const visitor = new Visitor(deployed);
    expect((await visitor.get('/flows')).status).toBe(401);
    const authorization = await signIn(deployed, visitor);
    const flows = collectingFlow(await broker.address(), broker.provided());
    const saved = await visitor.send('POST', '/flows', JSON.stringify(flows), { authorization });
    expect(saved.status, saved.text).toBe(204);

    const publish = async (message: string) => {
      const { username = '', password = '' } = broker.provided();
      await broker.say('mosquitto_pub', '-u', username, '-P', password, '-t', 'beds/1', '-r', '-q', '1', '-m', message);
    };
    const look = async () => (await visitor.get('/beds')).text;
    await publish('dry');
    await expect.poll(look, { timeout: 60_000 }).toBe('dry\n');
    // After a loss the flow connects again with its encrypted password, and a retained message arrives again.
    const change = async () => {
      await publish('');
      await visitor.send('POST', '/flows', '[]', { authorization: await signIn(deployed, visitor) });
      expect((await visitor.get('/beds')).status).toBe(404);
    };
    const held = { look: async () => (await look()).split('\n')[0] ?? '', change };
    await survivesLoss(catalogInstallation, deployed, held);
    await upgrades(catalogInstallation, deployed);
    await publish('wet');
    await expect.poll(look, { timeout: 60_000 }).toMatch(/^dry\n(dry\n)*wet\n$/);

    expect(await deployed.run('list-nodes')).toContain('(empty)');
    await deployed.checkAndRelease(['install-nodes']);
    const sensor = { username: 'sensor', password: 'wet or dry' };
    await survivesLoss(catalogInstallation, broker, {
      // The hash of the first user changes with each deployment.
      look: () => broker.say('cut', '-d:', '-f1', '/mosquitto/users/passwords'),
      change: () => broker.run('add-user', sensor),
    });
    await broker.run('add-user', sensor);
    await broker.run('remove-user', { username: 'sensor' });
    await broker.run('reload');
    await broker.checkAndRelease();
  });

  async function signIn(deployed: DeployedSpecies, visitor: Visitor): Promise<string> {
    const password = await deployed.secret('ADMIN_PASSWORD');
    const body = { client_id: 'node-red-admin', grant_type: 'password', scope: '*', username: 'admin', password };
    const answer = await visitor.send('POST', '/auth/token', JSON.stringify(body));
    expect(answer.status, answer.text).toBe(200);
    return `Bearer ${JSON.parse(answer.text).access_token}`;
  }

  /** Appends messages of the beds to a file, and serves the file. */
  function collectingFlow(host: string, { username, password }: Record<string, string>): object[] {
    const at = { z: 'tab', x: 100, y: 100 };
    return [
      { id: 'tab', type: 'tab', label: 'Beds' },
      {
        id: 'broker',
        type: 'mqtt-broker',
        broker: host,
        port: '1883',
        clientid: 'red',
        credentials: { user: username, password },
      },
      {
        ...at,
        id: 'in',
        type: 'mqtt in',
        topic: 'beds/#',
        qos: '1',
        datatype: 'utf8',
        broker: 'broker',
        wires: [['write']],
      },
      {
        ...at,
        id: 'write',
        type: 'file',
        filename: '/data/beds.txt',
        filenameType: 'str',
        appendNewline: true,
        overwriteFile: 'false',
        wires: [[]],
      },
      { ...at, id: 'ask', type: 'http in', url: '/beds', method: 'get', wires: [['read']] },
      {
        ...at,
        id: 'read',
        type: 'file in',
        filename: '/data/beds.txt',
        filenameType: 'str',
        format: 'utf8',
        wires: [['answer']],
      },
      { ...at, id: 'answer', type: 'http response', wires: [] },
    ];
  }
}
