import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DaemonConfig } from '../config/config.ts';
import { describeInstallation, installation, PACKAGED_UNIT } from './installation.ts';
import { place } from './place.ts';

export interface InstallOptions {
  readonly config: DaemonConfig;
  readonly program: Parameters<typeof installation>[0]['program'];
  /** Prefix for all paths; `/` except when building an image. */
  readonly root: string;
  readonly dryRun: boolean;
}

/** Installs the daemon and returns a message for the operator. */
export function install({ config, program, root, dryRun }: InstallOptions): string {
  const isPackaged = existsSync(join(root, PACKAGED_UNIT));
  const placed = installation({ config, program, isPackaged });
  if (dryRun) return `Dry run; this would be written:\n${describeInstallation(placed, root)}`;
  place(placed, root);
  return `${placed.map(({ path }) => `Wrote ${path}`).join('\n')}

The key file is no longer needed. ${isPackaged ? 'Start the daemon' : 'Start the daemon now and at every boot'}:
  ${isPackaged ? 'systemctl restart hortusd' : 'systemctl daemon-reload\n  systemctl enable --now hortusd'}
Follow its log:
  journalctl -u hortusd -f
`;
}
