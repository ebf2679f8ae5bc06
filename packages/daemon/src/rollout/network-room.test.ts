import { expect, test } from 'vitest';
import { desiredState } from '../plan/desired.ts';
import { plan } from '../plan/plan.ts';
import { EngineModel } from '../plan/testing/engine-model.ts';
import { component, manifest } from '../plan/testing/manifests.ts';
import { NetworkTooSmall, requireAddresses } from './network-room.ts';

const desired = (components: number, version = '1') =>
  desiredState({
    deploymentId: `dep_${version}`,
    definitionId: 'def_1',
    revision: 1,
    serverId: 'srv_1',
    manifest: manifest(
      'grown',
      Array.from({ length: components }, (_, index) => component(`c${index}`, { env: { version } })),
    ),
  });

const engineWith = (subnet: string) => ({
  networks: async () => [{ name: 'hortus-grown', labels: {}, subnets: [subnet] }],
});

test('an instance that outgrew its network is refused with advice before any change', async () => {
  const model = new EngineModel();
  for (const step of plan(desired(2), model.actual()).steps) model.apply(step);
  const check = (components: number, version: string, subnet: string) => {
    const wanted = desired(components, version);
    return requireAddresses(engineWith(subnet), plan(wanted, model.actual()), wanted, model.actual());
  };
  await check(2, '2', '10.254.0.0/28');
  await check(11, '1', '10.254.0.0/28');
  await check(20, '2', '172.18.0.0/16');
  const outgrown = check(12, '2', '10.254.0.0/28');
  await expect(outgrown).rejects.toThrow(NetworkTooSmall);
  await expect(outgrown).rejects.toThrow(
    /hortus-grown has addresses for 13 containers, .* needs 14\. .*Release the instance/,
  );
});
