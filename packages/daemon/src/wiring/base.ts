import { VERSION } from '@hortus/contract/releases/version';
import type { DaemonConfig } from '../config/config.ts';
import { type Journal, openJournal } from '../journal/journal.ts';
import type { Log } from '../log.ts';
import { realPath } from '../policy/host-paths.ts';
import { policyFileOf, readPolicy, requireMinimumVersion } from '../policy/read-policy.ts';
import { Identity } from '../trust/identity.ts';
import type { DaemonOptions } from './daemon-options.ts';

/** What every part may use: the settings, the log, and the content of the state directory. */
export type Base = ReturnType<typeof openBase>;

/** Opens the state directory. Throws if another daemon uses it, or it belongs to another server. */
export function openBase({ config, log, boundary }: DaemonOptions) {
  const policyFile = policyFileOf(config.stateDirectory);
  const policy = readPolicy(policyFile);
  // Before the journal is opened, so that an older daemon changes nothing.
  requireMinimumVersion(policy, VERSION, policyFile);
  const journal = openJournal(config.stateDirectory);
  const identity = identify(config, journal, log);
  rememberWritten(journal);
  return {
    config,
    log,
    boundary,
    policy,
    journal,
    identity,
    serverId: () => identity.serverId ?? '',
    publicKey: () => identity.publicKey,
  };
}

/** Closes the journal if the state directory belongs to another server. */
function identify(config: DaemonConfig, journal: Journal, log: Log): Identity {
  try {
    return new Identity({ config, pins: journal.pins, log });
  } catch (error) {
    journal.close();
    throw error;
  }
}

/** Records the writable host paths of manifests that an older daemon stored without such a list. */
function rememberWritten({ manifests, writtenPaths }: Journal): void {
  const known = new Set(writtenPaths.all());
  for (const { host_path, read_only } of manifests
    .all()
    .flatMap(({ components }) => components.flatMap((component) => component.storage))) {
    if (host_path === undefined || read_only || known.has(realPath(host_path))) continue;
    writtenPaths.add(realPath(host_path));
  }
}
