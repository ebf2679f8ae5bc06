import type { AgentPlatform } from '@hortus/contract/releases/agent-file';

export type BuildState =
  | { readonly status: 'building' }
  /** The next request after a while tries again. */
  | { readonly status: 'failed'; readonly error: string };

/** Builds binaries that are missing. Only `npm start` has one: it needs the sources and npm. */
export interface AgentBuilder {
  /** Where it puts them. */
  readonly folder: string;
  /** Starts to build a binary in the background, if it is not being built already. */
  want(platform: AgentPlatform): BuildState;
}
