import type { Client } from '@hortus/client/client';
import type { Deployment } from '@hortus/contract/resources/deployment-records';
import { command } from '../command-line/command.ts';
import { settleDeployment } from '../deploying/settle.ts';
import { findDefinition } from '../lookup/definitions.ts';
import { findDeployment } from '../lookup/deployments.ts';
import { serverNames } from '../lookup/servers.ts';
import { agree, confirmByName, waiting, waitOptions } from '../orders/asking.ts';

export const deploymentsRollback = command({
  name: 'deployments rollback',
  summary: 'Roll back a deployment',
  about:
    'Takes the id of a deployment, or the name of an instance for its newest deployment. Secrets keep their values, and data\nstays unless --with-data restores the backup made before the deployment (see deploy --backup-first).',
  args: ['deployment'],
  options: {
    'with-data': { type: 'boolean', about: 'Restore the data too; the current data is backed up first.' },
    yes: { type: 'boolean', short: 'y', about: 'Skip the confirmation.' },
    ...waitOptions,
  },
  examples: [
    ['hortus deployments rollback feeds --wait', 'Rolls back the newest deployment of feeds.'],
    [
      'hortus deployments rollback feeds --with-data --wait',
      'Restores the earlier data too; asks you to type the name.',
    ],
  ],
  calls: [
    'deployments.read',
    'deployments.list',
    'deployments.rollback',
    'definitions.list',
    'definitions.read',
    'instances.deployments',
    'instances.read',
    'servers.list',
  ],
  async run(call) {
    const { args, options, world } = call;
    waiting(options);
    const service = await call.client();
    const id = await findDeployment(service, args.deployment);
    const undone = (await service.call('deployments.read', { params: { id } })).data;
    const { instance_uid: uid } = await findDefinition(service, undone.definition_id);
    if (options['with-data']) {
      const what = `The data of ${uid} is replaced by the backup made before revision ${undone.revision}; the current data is backed up first.`;
      await confirmByName(world, what, uid, options.yes);
    } else if (
      !(await agree(world, `Roll ${uid} back to the state before revision ${undone.revision}?`, options.yes))
    ) {
      world.terminal.out('Nothing was changed.\n');
      return 'ok';
    }
    const body = options['with-data'] ? { with_data: true } : {};
    const { data } = await service.call('deployments.rollback', { params: { id }, body });
    return settleDeployment(call, service, data, { uid, server: await nameOf(service, data) });
  },
});

const nameOf = async (service: Client, { server_id }: Deployment): Promise<string> =>
  (await serverNames(service))(server_id);
