import type { IngressPorts } from '@hortus/template/resolution/route-address';
import type { Queries } from '../../storage/storage.ts';
import { platformOf } from './record.ts';
import { findServer, platformById } from './store.ts';

/** Returns the ports of the ingress of a server; undefined for 80 and 443. */
export async function ingressPortsOf(queries: Queries, serverId: string): Promise<IngressPorts | undefined> {
  const [row] = await platformById(queries, { id: serverId });
  return row && platformOf(row).ingress_ports;
}

/** Returns the domain for definitions without one on a server of the account. */
export async function appsDomainOf(queries: Queries, accountId: string, id: string): Promise<string | undefined> {
  const row = await findServer(queries, accountId, id);
  return row && platformOf(row).apps_domain;
}
