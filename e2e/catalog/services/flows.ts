import { until } from '@hortus/testkit/until';
import { expect } from 'vitest';
import { type Catalog, catalogTest } from '../catalog-installation.ts';
import { type DeployedSpecies, deploySpecies } from '../deployed-species.ts';
import { survivesLoss } from '../loss.ts';
import { upgrades } from '../upgrade.ts';
import { Visitor } from '../visitor.ts';
import { checkUsers, keepsUsers } from './mosquitto.ts';

export function flows(catalog: Catalog): void {
  catalogTest(
    'Node-RED keeps flows and collected MQTT messages after a loss and an upgrade; Mosquitto keeps its users',
    {
      timeout: 600_000,
    },
    async () => {
      const broker = await deploySpecies(catalog(), 'mosquitto', { WEB_HOSTNAME: 'mqtt.example.org' });
      const deployed = await deploySpecies(catalog(), 'node-red', { WEB_HOSTNAME: 'red.example.org' });
      const visitor = new Visitor(deployed);
      expect((await visitor.get('/flows')).status).toBe(401);
      const authorization = await signIn(deployed, visitor);
      const flows = collectingFlow(await broker.address(), broker.provided());
      const saved = await visitor.send('POST', '/flows', JSON.stringify(flows), { authorization });
      expect(saved.status, saved.text).toBe(204);

      const publish = async (message: string) => {
        const { username = '', password = '' } = broker.provided();
        await broker.say(
          'mosquitto_pub',
          '-u',
          username,
          '-P',
          password,
          '-t',
          'beds/1',
          '-r',
          '-q',
          '1',
          '-m',
          message,
        );
      };
      const read = async () => (await visitor.get('/beds')).text;
      await publish('dry');
      await until(async () => (await read()) === 'dry\n', { describe: 'the dry reading' });
      // After a loss the flow connects again with its encrypted password, and a retained message arrives again.
      const change = async () => {
        await publish('');
        await visitor.send('POST', '/flows', '[]', { authorization: await signIn(deployed, visitor) });
        expect((await visitor.get('/beds')).status).toBe(404);
      };
      const held = { read: async () => (await read()).split('\n')[0] ?? '', change };
      await survivesLoss(catalog(), deployed, held);
      await upgrades(catalog(), deployed);
      await publish('wet');
      await until(async () => /^dry\n(dry\n)*wet\n$/.test(await read()), { describe: 'the wet reading' });

      expect(await deployed.run('list-nodes')).toContain('(empty)');
      await deployed.checkAndRelease(['install-nodes']);
      await keepsUsers(catalog(), broker);
      await checkUsers(broker);
      await broker.checkAndRelease();
    },
  );

  async function signIn(deployed: DeployedSpecies, visitor: Visitor): Promise<string> {
    const password = await deployed.secret('ADMIN_PASSWORD');
    const body = { client_id: 'node-red-admin', grant_type: 'password', scope: '*', username: 'admin', password };
    const response = await visitor.send('POST', '/auth/token', JSON.stringify(body));
    expect(response.status, response.text).toBe(200);
    return `Bearer ${JSON.parse(response.text).access_token}`;
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
