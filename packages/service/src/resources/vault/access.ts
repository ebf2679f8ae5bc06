import type { SecretAccess } from '@hortus/contract/resources/vault';
import { iso } from '../../records/time.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Queries } from '../../storage/storage.ts';
import { type EventRow, listEvents } from '../events/public.ts';

type Access = SecretAccess['access'];

/** Audit event of each kind of access. */
const eventOf: Readonly<Record<Access, `audit.${string}`>> = {
  read: 'audit.manifest_read',
  set: 'audit.secret_set',
  rotated: 'audit.secret_rotated',
  exported: 'audit.definition_exported',
  revealed: 'audit.secret_revealed',
};

export interface AccessFilter {
  readonly accountId: string;
  readonly definitionId: string | undefined;
  readonly access: Access | undefined;
}

/** Lists who read, saw, changed or exported secrets, from the audit list. */
export async function listAccess(
  audit: { readonly reader: Queries; readonly pages: Pages },
  { accountId, definitionId, access }: AccessFilter,
  request: PageRequest,
): Promise<Page<SecretAccess>> {
  const types = access ? [eventOf[access]] : Object.values(eventOf);
  const page = await listEvents(audit, { accountId, types, resourceId: definitionId }, request);
  return { ...page, data: page.data.map(recordOf) };
}

function recordOf(row: EventRow): SecretAccess {
  const data = JSON.parse(row.data) as { revision: number; deployment_id?: string | null; secrets?: string[] };
  const [access] = Object.entries(eventOf).find(([, type]) => type === row.type) as [Access, string];
  return {
    id: row.id,
    seq: row.seq,
    access,
    definition_id: row.resource_id,
    secrets: data.secrets ?? [],
    revision: data.revision,
    deployment_id: data.deployment_id ?? null,
    actor: row.actor,
    at: iso(row.created_at),
  };
}
