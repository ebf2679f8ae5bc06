/** Platforms for which the agent, `hortusd` as a single executable, is built. */
export const agentSystems = ['linux'] as const;
export const agentArchs = ['amd64', 'arm64'] as const;

export interface AgentPlatform {
  readonly os: (typeof agentSystems)[number];
  readonly arch: (typeof agentArchs)[number];
}

/** Name of the file that the build writes and the service serves. */
export const agentFileName = ({ os, arch }: AgentPlatform): string => `hortusd-${os}-${arch}`;

/** Name of the file beside it with the signature of its release. */
export const signatureFileName = (fileName: string): string => `${fileName}.sig`;

/** Embedded in every agent binary, so that its version can be read without running it, on any processor. */
export const agentMark = (version: string): string => `hortusd release ${version};`;

/** Finds the mark; the first group is the version. */
export const agentMarkPattern = /hortusd release (\d{1,9}\.\d{1,9}\.\d{1,9}[0-9A-Za-z.+-]{0,64});/;
