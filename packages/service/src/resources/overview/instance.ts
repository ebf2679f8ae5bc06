import type { Permission } from '@hortus/contract/permissions';
import type { BackupPlan, Execution, ListedAction } from '@hortus/contract/resources/actions';
import type { Backup } from '@hortus/contract/resources/backups';
import type { Definition } from '@hortus/contract/resources/definition-records';
import type { Deployment } from '@hortus/contract/resources/deployment-records';
import type { Instance } from '@hortus/contract/resources/instance-records';
import type { InstanceOverview } from '@hortus/contract/resources/overview';
import type { Server } from '@hortus/contract/resources/server-records';
import { may, type Principal } from '../../identity/principal.ts';
import type { Page, PageRequest } from '../../storage/page.ts';
import { shortServer } from './short-server.ts';

type Read<Item> = (principal: Principal, id: string) => Promise<Item>;
type ListOf<Item> = (principal: Principal, instanceId: string, request: PageRequest) => Promise<Page<Item>>;

/** The reads of the other resources. */
export interface InstanceOverviewDeps {
  readonly instance: Read<Instance>;
  readonly server: Read<Server>;
  readonly definition: Read<Definition>;
  readonly declared: Read<{ readonly actions: ListedAction[]; readonly backup: BackupPlan }>;
  readonly executions: ListOf<Execution>;
  readonly backups: ListOf<Backup>;
  readonly deployments: ListOf<Deployment>;
}

const MAX = { executions: 6, backups: 14, deployments: 20 };

/** Collects what the page of an instance shows; parts that the caller may not read are null. */
export async function readInstanceOverview(
  deps: InstanceOverviewDeps,
  principal: Principal,
  id: string,
): Promise<InstanceOverview> {
  const instance = await deps.instance(principal, id);
  const allowed = <Part>(permission: Permission, read: () => Promise<Part>): Promise<Part | null> =>
    may(principal, permission) ? read() : Promise.resolve(null);
  const recent = <Item>(permission: Permission, list: ListOf<Item>, per_page: number) =>
    allowed(permission, async () => {
      const { data, pagination } = await list(principal, id, { page: 1, per_page });
      return { total: pagination.total, data };
    });
  const [server, definition, declared, executions, backups, deployments] = await Promise.all([
    allowed('servers:read', () => deps.server(principal, instance.server_id)),
    allowed('definitions:read', () => deps.definition(principal, instance.definition_id)),
    allowed('actions:read', () => deps.declared(principal, id)),
    recent('actions:read', deps.executions, MAX.executions),
    recent('backups:read', deps.backups, MAX.backups),
    recent('deployments:read', deps.deployments, MAX.deployments),
  ]);
  return {
    instance,
    server: server && shortServer(server),
    definition,
    actions: declared?.actions ?? null,
    backup: declared?.backup ?? null,
    executions,
    backups,
    deployments,
  };
}
