import type { Service } from './service.ts';

/** Returns the id of the newest deployment of a definition. Part of a plan's state: an order makes the plan stale. */
export async function lastDeployment(service: Service, definition_id: string): Promise<string | null> {
  const { data } = await service.call('deployments.list', { query: { definition_id, per_page: 1 } });
  return data[0]?.id ?? null;
}

/** Returns the id of the newest execution of an action on an instance. */
export async function lastExecution(service: Service, id: string, slug: string): Promise<string | null> {
  const { data } = await service.call('actions.history', { params: { id }, query: { slug, per_page: 1 } });
  return data[0]?.id ?? null;
}
