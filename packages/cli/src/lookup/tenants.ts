import type { Client } from '@hortus/client/client';
import type { Tenant } from '@hortus/contract/resources/tenants';
import { isId, theOne } from './by-name.ts';

/** Finds a tenant by id, slug or name. */
export async function findTenant(client: Client, reference: string): Promise<Tenant> {
  if (isId('tenant', reference)) return (await client.call('tenants.read', { params: { id: reference } })).data;
  const all = await Array.fromAsync(client.pages('tenants.list'));
  const bySlug = all.filter(({ slug }) => slug === reference);
  const fitting = bySlug.length > 0 ? bySlug : all.filter(({ name }) => name === reference);
  const names = all.map(({ slug }) => slug);
  return theOne('tenant', reference, fitting, ({ slug, status }) => `${slug}, ${status}`, names);
}
