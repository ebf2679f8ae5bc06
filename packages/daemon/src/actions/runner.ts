import type { ProcessIdentity } from '../process-identity.ts';

/** Who carries out an execution, as the journal remembers it. */
export type Runner =
  /** A detached process of ours with a directory for its order and its result. */
  | { kind: 'shim'; directory: string; process: ProcessIdentity }
  /** A throw-away container, found again by its name. */
  | { kind: 'container'; name: string }
  /** The daemon itself, and done again after a restart, from where it had got to: doing the rest twice changes nothing. */
  | { kind: 'repeatable'; reached?: unknown }
  /** The daemon itself, and not done again. */
  | { kind: 'once' };
