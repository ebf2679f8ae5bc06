import type { Cluster } from '../engine/cluster.ts';
import type { PauseRecords } from '../journal/pauses.ts';
import { label } from '../plan/labels.ts';
import { isServiceHandle, serviceHandle, serviceOf } from './service-lifecycle.ts';

/** Label of the record that lists the services which were stopped for a backup. */
const PAUSED = 'hortus.paused';

/** Records in the store of the Swarm which services must run again, because another member may have to start them. */
export function swarmPauses(cluster: Cluster, serverId: () => string): PauseRecords {
  const records = (uid?: string) => {
    const of = uid === undefined ? {} : { [label.instance]: uid };
    return cluster.contents('configs', { labels: { [PAUSED]: true, [label.server]: serverId(), ...of } });
  };
  const end = async (uid: string) => {
    for (const { id } of await records(uid)) await cluster.removeContent('configs', id);
  };
  return {
    async begin({ instanceUid, containers }) {
      await end(instanceUid);
      const ids = containers.filter(isServiceHandle).map(serviceOf).join(',');
      // The Swarm stores no empty content.
      if (ids === '') return;
      const labels = {
        [label.managed]: 'true',
        [label.server]: serverId(),
        [label.instance]: instanceUid,
        [PAUSED]: ids,
      };
      await cluster.createContent('configs', { name: `hortus-pause.${instanceUid}`, labels, data: Buffer.from(ids) });
    },
    async all() {
      return (await records()).map(({ labels }) => ({
        instanceUid: labels[label.instance] ?? '',
        containers: (labels[PAUSED] ?? '').split(',').filter(Boolean).map(serviceHandle),
      }));
    },
    end,
  };
}
