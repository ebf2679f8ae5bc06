import type { RuleKind, Thresholds } from '@hortus/contract/resources/notifications';

/** Thresholds that each kind of rule uses, with their defaults. Events have none: their types must be given. */
export const defaults: Readonly<Record<RuleKind, Thresholds>> = {
  event: {},
  server_offline: { minutes: 3 },
  disk_above: { percent: 90, minutes: 5 },
  memory_above: { percent: 90, minutes: 10 },
  instance_unhealthy: { minutes: 2 },
  restart_loop: { restarts: 5, minutes: 15 },
  deployment_failed: {},
  backup_failed: {},
  backup_late: { minutes: 120 },
  certificate_expires: { days: 14 },
  upgrade_available: {},
};

export interface Preset {
  readonly name: string;
  readonly kind: RuleKind;
}

/** Rules that every account has from the start. They need only a channel. */
export const presets: readonly Preset[] = [
  { name: 'Server offline', kind: 'server_offline' },
  { name: 'Disk almost full', kind: 'disk_above' },
  { name: 'Instance unhealthy', kind: 'instance_unhealthy' },
  { name: 'Instance restarts in a loop', kind: 'restart_loop' },
  { name: 'Deployment failed', kind: 'deployment_failed' },
  { name: 'Backup failed', kind: 'backup_failed' },
  { name: 'Backup late', kind: 'backup_late' },
  { name: 'Certificate expires', kind: 'certificate_expires' },
];
