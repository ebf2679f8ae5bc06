import type { DeployedImage } from '@hortus/contract/resources/deployment-records';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Principal } from '../../identity/principal.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { type DeploymentServices, openDeploymentServices } from './testing/deployment-services.ts';

const image = 'registry.example.org/inkwell/inkwell:4.2.1';
const digest = (letter: string) => `sha256:${letter.repeat(64)}`;

onBothEngines((engine) => {
  let services: DeploymentServices;
  let owner: Principal;
  let daemon: Principal & { kind: 'server' };
  beforeAll(async () => {
    services = await openDeploymentServices(engine);
    owner = await services.account();
    daemon = await services.server(owner);
  });

  async function deployed(definitionId: string, images?: DeployedImage[]) {
    const { id } = await services.execute(owner, definitionId);
    return await services.report(daemon, { deployment_id: id, status: 'success', ...(images && { images }) });
  }
  const imageOf = async (deployment_id: string) => {
    const manifest = await services.storage.write((tx) =>
      services.reading.forDaemon(tx, daemon, { deployment_id }, true),
    );
    return manifest.components.find(({ name }) => name === 'app')?.image;
  };
  const ran = (letter: string, of = image): DeployedImage[] => [
    { component: 'app', image: of, digest: digest(letter) },
  ];

  describe('the images of a deployment', () => {
    it('are recorded with their digests, and a rollback pins those digests', async () => {
      const { id } = await services.definition(owner, daemon.serverId);
      const first = await deployed(id, ran('a'));
      expect(first.images).toEqual(ran('a'));
      await services.revise(owner, id, 'Another title');
      const second = await deployed(id, ran('b'));
      expect(await imageOf(second.id)).toBe(image);
      const back = await services.rollback(owner, second.id);
      expect(back.images).toEqual(ran('a'));
      expect(await imageOf(back.id)).toBe(`${image}@${digest('a')}`);
      // A daemon reports the pinned reference; rolling back to that works too.
      await services.report(daemon, {
        deployment_id: back.id,
        status: 'success',
        images: ran('a', `${image}@${digest('a')}`),
      });
      const forth = await services.rollback(owner, back.id);
      expect(await imageOf(forth.id)).toBe(`${image}@${digest('b')}`);
      await services.report(daemon, { deployment_id: forth.id, status: 'failed' });
      const again = await services.rollback(owner, forth.id);
      expect(await imageOf(again.id)).toBe(`${image}@${digest('a')}`);
    });

    it('are pulled again on request: the kind and the manifest tell the daemon', async () => {
      const { id: definition_id } = await services.definition(owner, daemon.serverId);
      const order = (pull: boolean) =>
        services.storage.write((tx) => services.deployments.execute(tx, owner, { definition_id, pull }));
      const renewOf = async (deployment_id: string) =>
        (await services.storage.write((tx) => services.reading.forDaemon(tx, daemon, { deployment_id }, true))).renew;
      const [renewing, plain] = [await order(true), await order(false)];
      expect([renewing.kind, plain.kind]).toEqual(['renew', 'deploy']);
      expect([await renewOf(renewing.id), await renewOf(plain.id)]).toEqual([true, undefined]);
    });

    it('pin nothing if they are unknown or of another name', async () => {
      for (const images of [
        undefined,
        [{ component: 'app', image, digest: null }],
        ran('a', 'registry.example.org/inkwell/other:1'),
      ]) {
        const { id } = await services.definition(owner, daemon.serverId);
        await deployed(id, images);
        await services.revise(owner, id, 'Another title');
        const { id: rollback } = await services.rollback(owner, (await deployed(id)).id);
        expect(await imageOf(rollback)).toBe(image);
      }
    });
  });
});
