import type { ProcessIdentity } from '../process/process-identity.ts';

/** What runs an execution, as recorded in the journal. */
export type Runner =
  /** A detached process with a directory for its result. */
  | { kind: 'shim'; directory: string; process: ProcessIdentity }
  /** A temporary container, found by its name. */
  | { kind: 'container'; name: string }
  /** The daemon itself; repeated after a restart from `reached`, because it is idempotent. */
  | { kind: 'repeatable'; reached?: unknown }
  /** The daemon itself; not repeated. */
  | { kind: 'once' };
