import type { Fingerprint } from '@hortus/contract/records/fingerprint';
import type { Server, ServerLabels } from '@hortus/contract/resources/server-records';
import type { IngressPorts } from '@hortus/template/resolution/route-address';
import { iso, isoOrNull } from '../../records/time.ts';
import { identityRecord } from './identity.ts';
import { leaderOf } from './leadership/leader.ts';
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
  /** Why a daemon was refused since; the next connection replaces it. */
  readonly refused?: { readonly reason: string; readonly at: number };
}

/** Returns the version of the signed release for a platform, if it is newer than the given one. */
export type NewerDaemon = (version: string | null, platform: Platform) => string | null;

export const serverRecord = (row: ServerRow, newer: NewerDaemon): Server => ({
  id: row.id,
  name: row.name,
  kind: row.kind ?? 'server',
  cluster: row.kind === 'cluster' ? { leader_member_id: leaderOf(row), epoch: row.connection_epoch } : null,
  environment: row.environment as Server['environment'],
  description: row.description,
  labels: labelsOf(row),
  deploy_tests: row.deploy_tests === 1,
  status: row.status,
  trusted: row.key_trusted === 1,
  connected: row.connected_replica !== null,
  last_seen_at: isoOrNull(row.last_seen_at),
  duplicate_seen_at: isoOrNull(row.duplicate_at),
  old_key_valid_until: isoOrNull(row.old_key_until),
  daemon: daemonRecord(row, newer),
  identity: identityRecord(row),
  fingerprint: fingerprintOf(row),
  networks: row.networks === null ? null : (JSON.parse(row.networks) as Server['networks']),
  apps_domain: platformOf(row).apps_domain ?? null,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

export const labelsOf = ({ labels }: Pick<ServerRow, 'labels'>): ServerLabels =>
  labels === null ? {} : (JSON.parse(labels) as ServerLabels);

export const platformOf = ({ daemon_platform }: Pick<ServerRow, 'daemon_platform'>): Platform =>
  JSON.parse(daemon_platform) as Platform;

export const fingerprintOf = ({ fingerprint }: Pick<ServerRow, 'fingerprint'>): Fingerprint | null =>
  fingerprint === null ? null : (JSON.parse(fingerprint) as Fingerprint);

/** Describes the daemon of a server or of a member of a cluster. */
export function daemonRecord(
  row: Pick<ServerRow, 'daemon_platform' | 'daemon_version' | 'capabilities'>,
  newer: NewerDaemon,
): Server['daemon'] {
  const platform = platformOf(row);
  const { os = null, arch = null, engine = null, ingress = null, address = null, refused } = platform;
  const capabilities = JSON.parse(row.capabilities) as string[];
  const version = row.daemon_version;
  const newer_version = newer(version, platform);
  const refusal = refused ? { reason: refused.reason, at: iso(refused.at) } : null;
  return { version, newer_version, os, arch, engine, ingress, address, capabilities, refused: refusal };
}
