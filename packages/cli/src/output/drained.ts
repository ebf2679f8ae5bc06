import type { DrainedServer } from '@hortus/contract/resources/server-records';
import type { Terminal } from '../world/terminal.ts';
import { status } from './status.ts';
import { table } from './table.ts';

/** Says that a server is drained, and what is left on it. */
export function drainedText(terminal: Terminal, { name, instances }: DrainedServer): string {
  const begun = `${name} takes no new deployments.\n`;
  if (instances.length === 0) return `${begun}No instances are left on it.\n`;
  type Row = (typeof instances)[number];
  const columns = [
    { title: 'To move', text: ({ instance_uid }: Row) => instance_uid },
    { title: 'Status', painted: (row: Row) => status(terminal, row.status) },
    { title: 'Tenant', text: ({ tenant_id }: Row) => tenant_id ?? '' },
    { title: 'Definition', text: ({ definition_id }: Row) => definition_id },
  ];
  return `${begun}${table(terminal, columns, instances)}hortus servers drain ${name} --move moves them.\n`;
}
