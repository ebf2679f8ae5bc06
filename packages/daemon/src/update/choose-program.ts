import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { DaemonUpdateReason } from '@hortus/contract/releases/daemon-update';
import type { Log } from '../log.ts';
import { sha256Of } from './checksum.ts';
import { endLeftoverTrial } from './leftover-trial.ts';
import { installedBinary } from './running-binary.ts';
import type { KeptRelease, LastUpdate, UpdateRecord, UpdateStore } from './update-record.ts';

export interface ProgramChoice {
  readonly store: UpdateStore;
  /** Path of the running binary. */
  readonly binary: string;
  readonly log: Pick<Log, 'info' | 'error'>;
  /** Replaces this process by another program; returns only in tests, and throws if it is impossible. */
  readonly execute: (file: string) => void;
}

/** A new release that has not connected after this many starts is given up. */
const MAX_STARTS = 3;

/**
 * Decides at each start which version runs, before the journal is opened: settles an update that a kill or a reboot
 * interrupted, and replaces this process by the current release. The installed binary is never changed, so there is always a
 * way back.
 */
export async function chooseProgram({ store, binary, log, execute }: ProgramChoice): Promise<void> {
  await endLeftoverTrial(store);
  settle(store, binary, log);
  for (;;) {
    const { current, probation, installed } = store.record;
    const file = current?.file ?? installed?.file;
    if (file === undefined || file === binary) return;
    if (current && probation) store.tryToWrite({ probation: { ...probation, starts: probation.starts + 1 } });
    try {
      if (current) await requireIntact(current);
      return execute(file);
    } catch (error) {
      log.error({ file, err: error }, 'a release cannot be started; going back to the former version');
      // Without the installed binary, the release that runs now is the way back.
      if (!current) return;
      const change = returned(
        store.record,
        'not_executable',
        `${file} cannot be started: ${(error as Error).message}.`,
      );
      store.tryToWrite({ ...change, current: probation?.former });
    }
  }
}

/** Change of the record that makes the former version the current one again, and says why. */
export function returned(
  { current, probation, last }: UpdateRecord,
  reason: DaemonUpdateReason,
  message: string,
): Pick<UpdateRecord, 'last'> & { current: KeptRelease | undefined; probation: undefined } {
  const tried = last?.state === 'trying' || last?.state === 'done';
  return {
    // Without a probation, the new release has not become the current one yet.
    current: probation ? probation.former : current,
    probation: undefined,
    ...(tried && { last: { ...last, state: 'returned', reason, message: message.slice(0, 1_000) } }),
  };
}

function settle(store: UpdateStore, binary: string, log: ProgramChoice['log']): void {
  const { last, probation, current, installed } = store.record;
  if (last?.state === 'trying' && !probation)
    store.tryToWrite({
      last: interrupted(last, 'The daemon was ended before the new version had proved itself healthy.'),
    });
  const isInstalled = dirname(binary) !== store.folder;
  if (isInstalled && installed && !isDeepStrictEqual(installed, installedBinary(binary))) {
    log.info({ file: binary }, 'another binary was installed; it takes precedence over updates');
    store.tryToWrite({
      installed: undefined,
      current: undefined,
      probation: undefined,
      ...(probation && last && { last: interrupted(last, 'Another binary was installed.') }),
    });
  } else if (current && probation && probation.starts >= MAX_STARTS) {
    log.error({ version: current.version }, 'the new version did not connect; going back to the former one');
    store.tryToWrite(
      returned(store.record, 'unhealthy', `Version ${current.version} did not connect after ${MAX_STARTS} starts.`),
    );
  }
}

const interrupted = (last: LastUpdate, message: string): LastUpdate => ({
  ...last,
  state: 'returned',
  reason: 'interrupted',
  message,
});

/** Detects a file that a disk or a person damaged. */
async function requireIntact({ file, sha256 }: KeptRelease): Promise<void> {
  const found = await sha256Of(file);
  if (found !== sha256) throw new Error(`its sha256 is ${found}, not ${sha256}`);
}
