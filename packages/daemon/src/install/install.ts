import type { DaemonConfig } from '../config.ts';
import { describeInstallation, installation } from './installation.ts';
import { place } from './place.ts';

export interface InstallOptions {
  readonly config: DaemonConfig;
  readonly program: Parameters<typeof installation>[0]['program'];
  /** Everything lands below it; `/` unless an image is being made. */
  readonly root: string;
  readonly dryRun: boolean;
}

/** Answers what to tell the person who asked for it. */
export function install({ config, program, root, dryRun }: InstallOptions): string {
  const placed = installation({ config, program });
  if (dryRun) return `This would be written, and nothing has been:\n${describeInstallation(placed, root)}`;
  place(placed, root);
  return `${placed.map(({ path }) => `Wrote ${path}`).join('\n')}

The key file is not needed any more. To start it, and at every boot:
  systemctl daemon-reload
  systemctl enable --now hortusd
To see what it does:
  journalctl -u hortusd -f
`;
}
