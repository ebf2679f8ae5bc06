import type { DaemonUpdateReason } from '@hortus/contract/releases/daemon-update';

/** Why a daemon does not update itself. The message tells the operator what to do. */
export class UpdateRefusal extends Error {
  readonly reason: DaemonUpdateReason;

  constructor(reason: DaemonUpdateReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
