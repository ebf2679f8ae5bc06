import { may, type Principal } from '../../identity/principal.ts';
import { Problem } from '../../problem.ts';
import type { Queries } from '../../storage/storage.ts';
import { recipientOf } from './store.ts';

/**
 * Refuses to send existing secrets to a server whose key was handed to a user without `data:export`. A server key reads
 * every secret deployed to it, so registering a server would otherwise be a way to read all secrets.
 */
export async function requireTrustedServer(queries: Queries, principal: Principal, serverId: string): Promise<void> {
  if (may(principal, 'data:export')) return;
  const server = await recipientOf(queries, serverId);
  if (!server || server.key_trusted === 1) return;
  const remedy =
    server.kind === 'cluster'
      ? 'add a member and revoke the first one of the cluster'
      : 'rotate the key of the server first';
  throw new Problem(
    'FORBIDDEN',
    `server_id: the key of this server was given to someone without data:export, who would read these secrets. Someone with data:export can do this, or ${remedy}.`,
    { permission: 'data:export', reason: 'untrusted_server', field: 'server_id' },
  );
}
