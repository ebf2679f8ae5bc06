import { isSea } from 'node:sea';
import type { DaemonConfig } from './config/config.ts';
import { Daemon } from './daemon.ts';
import { CRASHED } from './diagnostics/daemon-log.ts';
import { choosePorts } from './ingress/ports.ts';
import type { Log } from './log.ts';
import { becomeProgram, isSupervisedBySystemd } from './update/become-program.ts';
import { chooseProgram } from './update/choose-program.ts';
import { builtInReleaseKeys } from './update/release-key.ts';
import { runningBinary } from './update/running-binary.ts';
import { type HandOver, Supervisor } from './update/supervisor.ts';
import { TRIAL_VARIABLE } from './update/trial-messages.ts';
import { UpdateStore } from './update/update-record.ts';
import { wire } from './wiring/wiring.ts';

export interface RunOptions {
  readonly config: DaemonConfig;
  /** Arguments of this process, for the version that replaces it. */
  readonly args: readonly string[];
  readonly log: Log;
}

/**
 * Runs the daemon in this process, or the current release instead of it. Returns undefined in a process that only tries this
 * version.
 */
export async function runDaemon({ config, args, log }: RunOptions): Promise<Supervisor | undefined> {
  const store = new UpdateStore(config.stateDirectory);
  const binary = runningBinary();
  const keys = builtInReleaseKeys();
  const execute = (file: string) => becomeProgram(file, args);
  const former = process.env[TRIAL_VARIABLE];
  // Not for programs that this one starts.
  delete process.env[TRIAL_VARIABLE];
  const options = async (handOver: HandOver) => ({
    config,
    ingress: await choosePorts(config.ingress, config.stateDirectory),
    log,
    ...(isSea() && { shimCommand: [process.execPath, 'exec-shim'] }),
    update: { store, binary, keys, handOver },
  });
  if (former !== undefined && process.connected) {
    const [{ runCandidate }, { proofOf }] = await Promise.all([
      import('./update/candidate.ts'),
      import('./wiring/proof.ts'),
    ]);
    runCandidate({
      open: async () => proofOf(wire(await options(() => undefined)), log),
      // systemd starts the installed binary again.
      becomeFormer: () => !isSupervisedBySystemd() && execute(former),
      log,
    });
    return undefined;
  }
  if (binary !== undefined) await chooseProgram({ store, binary, log, execute });
  const chosen = await options(() => undefined);
  const supervisor = new Supervisor({
    store,
    binary,
    args,
    open: (handOver) => new Daemon({ ...chosen, update: { ...chosen.update, handOver } }),
    execute,
    onFatal(error) {
      log.error({ err: error }, 'the daemon could not be started again');
      process.exit(CRASHED);
    },
    log,
  });
  supervisor.start();
  return supervisor;
}
