import type { Resource } from '../../resource.ts';
import type { ClusterMembers } from './members.ts';
import type { ClusterNodes } from './nodes/nodes.ts';
import { clusterRoutes } from './routes.ts';

interface Needs {
  readonly members: ClusterMembers;
  readonly nodes: ClusterNodes;
}

export const resource = {
  tables: ['server_members', 'server_nodes'],
  wire: ({ members, nodes }: Needs) => ({ handlers: clusterRoutes(members, nodes) }),
} satisfies Resource<Needs>;
