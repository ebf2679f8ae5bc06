import type { Client } from '@hortus/client/client';
import { expect } from 'vitest';

/** Publishes a private template. */
export async function publishTemplate(client: Client, source: string): Promise<void> {
  const { id } = (await client.call('drafts.create', { body: { source } })).data;
  const { data } = await client.call('drafts.validate', { params: { id } });
  expect(data.status, JSON.stringify(data)).toBe('validated');
  await client.call('drafts.promote', { params: { id } });
}
