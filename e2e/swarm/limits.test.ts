import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deploy, finished, openInstallation } from '../docker/installation.ts';
import { filesNotOnSwarm, testsNotOnSwarm } from '../docker/on-swarm.ts';
import { page } from '../docker/test-species.ts';

const folder = join(import.meta.dirname, '../docker');
const read = (file: string) => readFileSync(join(folder, file), 'utf8');

/** Names of the tests that a file registers unless it runs on a Swarm. */
const calls = (text: string) => [...text.matchAll(/testUnlessOnSwarm\(\s*'([^']+)'/g)].map(([, name]) => name);

/** Everything that services of a Swarm do not have, in one component that the policy of the server allows. */
const hungry = page(
  'hungry',
  `storage: [{name: logs, host_path: /var/log, mount_path: /logs, read_only: true}]
ports: [{container_port: 8080, host_port: 18080, host_ip: 127.0.0.1}]
devices: [{path: /dev/null}]
privileged: true
pid: host
permissions:
  - {kind: host_path, value: /var/log, reason: Reads the logs of the server.}
  - {kind: host_port, value: "18080", reason: Serves programs of the server.}
  - {kind: device, value: /dev/null, reason: Discards output.}
  - {kind: privileged, reason: Controls the server.}
  - {kind: host_pid, reason: Sees the processes of the server.}
`,
);
const POLICY = 'host_paths: [/var/log]\ndevices: [/dev/null]\nprivileged: true\nhost_pid: true\n';

describe('the table of tests that are left out on a Swarm', () => {
  test('names files that exist', () => {
    expect(readdirSync(folder)).toEqual(
      expect.arrayContaining([...Object.keys(filesNotOnSwarm), ...Object.keys(testsNotOnSwarm)]),
    );
  });

  test('names tests that exist, in files that otherwise run there', () => {
    for (const [file, tests] of Object.entries(testsNotOnSwarm)) {
      expect(filesNotOnSwarm[file]).toBeUndefined();
      for (const name of Object.keys(tests)) expect(calls(read(file))).toContain(name);
    }
  });
});

test('a cluster refuses by name what services of a Swarm do not have, and changes nothing', {
  timeout: 300_000,
}, async () => {
  await using installation = await openInstallation({ kind: 'cluster', species: { hungry } });
  mkdirSync(installation.stateOf(), { recursive: true });
  writeFileSync(join(installation.stateOf(), 'policy.yaml'), POLICY);
  installation.startDaemon();
  await installation.online();
  const { client } = installation.service;
  const inputs = { WEB_HOSTNAME: 'hungry.example.org' };
  const body = { species: 'hungry', instance_uid: 'hungry', server_id: installation.serverId, inputs };
  const { data } = await client.call('definitions.create', { body });
  expect(await finished(installation, await deploy(installation, data.id))).toMatchObject({
    status: 'failed',
    reason: 'unsupported',
    error:
      'A Docker Swarm cannot run this: main: privileged; main: pid: host; main: device /dev/null; ' +
      'main: host path /var/log; main: port 18080 on the single address 127.0.0.1',
  });
  const { engine, serverId } = installation;
  const labels = { 'hortus.server': serverId };
  expect(await Promise.all([engine.containers({ labels }), engine.networks({ labels })])).toEqual([[], []]);
});
