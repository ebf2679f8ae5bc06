import { randomInt } from 'node:crypto';
import type { Template } from '@hortus/contract/template/schema';
import { canonical } from '@hortus/template/canonical/canonical';
import { resolve } from '@hortus/template/resolution/resolve';
import { parse } from '@hortus/template/source/parse';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { instanceDrift } from '../drift/instance-drift.ts';
import { readActual } from '../instances/read-actual.ts';
import { image, TestServer } from '../rollout/testing/server.ts';
import { id } from '../testing/signing.ts';
import { desiredState } from './desired.ts';
import { manifest } from './testing/manifests.ts';

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.open();
});
afterAll(() => server.close());

/** Publishes 101 ports on a loopback address that no other test uses, and answers on the first and the last one. */
function rangeOf(uid: string, address: string) {
  const text = `
slug: media
name: Media
version: 1.0.0
archetype: application
taxonomy: {kingdom: applications, family: media}
permissions: [{kind: host_port, value: "17000-17100", reason: carries calls}]
components:
  main:
    image: {repository: ${image.split(':')[0]}, tag: "1"}
    command: [sh, -c, 'for port in 7000 7100; do mkdir /www/$port; echo $port > /www/$port/name; httpd -p $port -h /www/$port; done; exec sleep 1000']
    ports: [{container_port: 7000, last_port: 7100, host_port: 17000, host_ip: ${address}}]
`;
  const resolution = resolve(canonical(parse(text).value as Template), {
    inputs: {},
    secrets: {},
    instance: { uid, name: 'Media', server_id: server.id },
  });
  if (!resolution.ok) throw new Error(JSON.stringify(resolution.problems));
  return resolution.manifest;
}

it('a range of more than 100 ports is published, answers at both ends, and shows no drift', async () => {
  const uid = server.newUid();
  const address = `127.${randomInt(1, 255)}.${randomInt(255)}.${randomInt(1, 255)}`;
  const { components, permissions } = rangeOf(uid, address);
  expect(permissions).toMatchObject([{ kind: 'host_port', value: '17000-17100', reason: 'carries calls' }]);
  expect(await server.deploy(uid, components)).toMatchObject({ status: 'success' });
  for (const port of [7000, 7100]) {
    const response = await fetch(`http://${address}:${port + 10_000}/name`);
    expect((await response.text()).trim()).toBe(String(port));
  }
  const identity = { deploymentId: 'dep_1', definitionId: id('def'), revision: 1, serverId: server.id };
  const desired = desiredState({ ...identity, manifest: manifest(uid, components) });
  const reading = await readActual(server.engine, server.id, desired, []);
  const { cpus, limitsPids } = await server.engine.info();
  const around = { cpus, limitsPids, images: new Map(), deployed: [] };
  expect(instanceDrift(desired, reading, around)).toEqual([]);
  const [facts] = [...reading.facts.values()];
  if (!facts) throw new Error('There is no container.');
  facts.ports.splice(50, 1);
  expect(instanceDrift(desired, reading, around)).toMatchObject([
    {
      field: 'ports',
      declared: [`${address}:17000-17100 to 7000-7100/tcp`],
      actual: [`${address}:17000-17049 to 7000-7049/tcp`, `${address}:17051-17100 to 7051-7100/tcp`],
    },
  ]);
});
