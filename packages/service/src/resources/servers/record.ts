import type { Fingerprint } from '@hortus/contract/fingerprint';
import type { Server } from '@hortus/contract/resources/server-records';
import type { IngressPorts } from '@hortus/template/resolution/route-address';
import { iso, isoOrNull } from '../../time.ts';
import { identityRecord } from './identity.ts';
import type { ServerRow } from './store.ts';

/** Platform that a daemon reports. */
export interface Platform {
  readonly os?: string;
  readonly arch?: string;
  readonly engine?: string;
  readonly ingress?: string;
  /** Ports of the ingress, if they are not the standard ones. */
  readonly ingress_ports?: IngressPorts;
  /** Address from which it connected. */
  readonly address?: string;
  /** Domain of definitions without one. */
  readonly apps_domain?: string;
}

export const serverRecord = (row: ServerRow): Server => ({
  id: row.id,
  name: row.name,
  environment: row.environment as Server['environment'],
  description: row.description,
  deploy_tests: row.deploy_tests === 1,
  status: row.status,
  connected: row.connected_replica !== null,
  last_seen_at: isoOrNull(row.last_seen_at),
  duplicate_seen_at: isoOrNull(row.duplicate_at),
  old_key_valid_until: isoOrNull(row.old_key_until),
  daemon: daemonRecord(row),
  identity: identityRecord(row),
  fingerprint: fingerprintOf(row),
  networks: row.networks === null ? null : (JSON.parse(row.networks) as Server['networks']),
  apps_domain: platformOf(row).apps_domain ?? null,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

export const platformOf = ({ daemon_platform }: Pick<ServerRow, 'daemon_platform'>): Platform =>
  JSON.parse(daemon_platform) as Platform;

export const fingerprintOf = ({ fingerprint }: Pick<ServerRow, 'fingerprint'>): Fingerprint | null =>
  fingerprint === null ? null : (JSON.parse(fingerprint) as Fingerprint);

function daemonRecord(row: ServerRow): Server['daemon'] {
  const { os = null, arch = null, engine = null, ingress = null, address = null } = platformOf(row);
  const capabilities = JSON.parse(row.capabilities) as string[];
  return { version: row.daemon_version, os, arch, engine, ingress, address, capabilities };
}
