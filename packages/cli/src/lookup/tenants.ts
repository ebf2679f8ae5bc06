import type { Client } from '@hortus/client/client';
import type { Tenant } from '@hortus/contract/resources/tenants';
import { isId, theOne } from './by-name.ts';

/** Finds a tenant by id, slug or name. */
export async function findTenant(client: Client, given: string): Promise<Tenant> {
  if (isId('tenant', given)) return (await client.call('tenants.read', { params: { id: given } })).data;
  const all = await Array.fromAsync(client.pages('tenants.list'));
  const bySlug = all.filter(({ slug }) => slug === given);
  const fitting = bySlug.length > 0 ? bySlug : all.filter(({ name }) => name === given);
  const names = all.map(({ slug }) => slug);
  return theOne('tenant', given, fitting, ({ slug, status }) => `${slug}, ${status}`, names);
}
