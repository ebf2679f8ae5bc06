import type { DaemonConfig } from '../config/config.ts';
import type { Timeouts } from '../engine/docker/timeouts.ts';
import type { IngressSettings } from '../ingress/ingress.ts';
import type { Log } from '../log.ts';
import type { UpdateHost } from '../update/update-host.ts';

export interface DaemonOptions {
  config: DaemonConfig;
  /** With chosen ports. */
  ingress: IngressSettings;
  log: Log;
  /** Command that runs this program as `hortusd exec-shim`; set by the bundled program. */
  shimCommand?: readonly string[];
  /** Lets the daemon update itself; without it, updates are refused. */
  update?: UpdateHost;
  engineTimeouts?: Partial<Timeouts>;
  /** Called before and after every step of a rollout; tests end the process there. */
  boundary?: (moment: string) => void;
}
