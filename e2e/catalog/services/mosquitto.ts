import { until } from '@hortus/testkit/until';
import { expect } from 'vitest';
import type { CatalogInstallation } from '../catalog-installation.ts';
import type { DeployedSpecies } from '../deployed-species.ts';
import { survivesLoss } from '../loss.ts';

const SENSOR = { username: 'sensor', password: 'wet or dry' };

/** Checks that Mosquitto accepts added users and refuses removed ones. */
export async function checkUsers(broker: DeployedSpecies): Promise<void> {
  const { username = '', password = '' } = broker.provided();
  const publish = (user: string, secret: string, words: string) =>
    broker.try('mosquitto_pub', '-u', user, '-P', secret, '-t', 'frames/1', '-r', '-m', words);
  const read = () =>
    broker.say('mosquitto_sub', '-u', username, '-P', password, '-t', 'frames/1', '-C', '1', '-W', '20');
  const asSensor = async (words: string) => (await publish(SENSOR.username, SENSOR.password, words)).code;
  expect(await publish(username, password, 'dry')).toMatchObject({ code: 0 });
  expect(await read()).toBe('dry');
  expect(await publish('unknown', 'nothing', 'wet')).not.toMatchObject({ code: 0 });

  await broker.run('add-user', SENSOR);
  await broker.run('reload');
  await until(async () => (await asSensor('wet')) === 0, { describe: 'the password to be accepted' });
  expect(await read()).toBe('wet');
  await broker.run('remove-user', { username: SENSOR.username });
  await broker.run('reload');
  await until(async () => (await asSensor('dry')) !== 0, { describe: 'the password to be refused' });
  expect(await publish(username, password, 'dry')).toMatchObject({ code: 0 });

  // Only the broker and root can read the passwords, although a job running as root wrote them.
  expect(await broker.say('stat', '-c', '%U %a', '/mosquitto/users/passwords')).toBe('mosquitto 600');
}

/** Checks that a restore returns the users of the backup. */
export async function keepsUsers(catalogInstallation: CatalogInstallation, broker: DeployedSpecies): Promise<void> {
  await survivesLoss(catalogInstallation, broker, {
    // The hash of the first user changes with each deployment.
    read: () => broker.say('cut', '-d:', '-f1', '/mosquitto/users/passwords'),
    change: () => broker.run('add-user', SENSOR),
  });
}
