import { type AgentPlatform, agentArchs, agentSystems } from '@hortus/contract/releases/agent-file';
import type { ReleaseSignature } from '@hortus/contract/releases/release-signature';
import { compareVersions } from '@hortus/template/notation/version-order';
import type { Agents } from './agents.ts';

/** A signed binary that daemons can update to. */
export interface Release {
  readonly platform: AgentPlatform;
  readonly size: number;
  readonly signature: ReleaseSignature;
}

/** Platform as daemons report it: Node names the processor x64. */
export interface ReportedPlatform {
  readonly os?: string | undefined;
  readonly arch?: string | undefined;
}

const archNames: Readonly<Record<string, string>> = { x64: 'amd64', aarch64: 'arm64' };

/** Binaries are replaced rarely, so lists of servers look for them this often at most. */
const KEPT_MS = 5_000;

/** Knows the signed releases in the folders of agent binaries. Reading one needs its whole file, hence the snapshot. */
export class Releases {
  readonly #agents: Pick<Agents, 'find'>;
  #found: readonly Release[] = [];
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(agents: Pick<Agents, 'find'>) {
    this.#agents = agents;
  }

  /** Reads the folders again if the snapshot is old; `now` reads them in any case. */
  async refresh({ now = false } = {}): Promise<void> {
    if (!now && performance.now() < this.#readAt + KEPT_MS) return;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  get all(): readonly Release[] {
    return this.#found;
  }

  /** Returns the release for a platform, of the last snapshot. */
  of({ os, arch }: ReportedPlatform): Release | undefined {
    const name = arch === undefined ? undefined : (archNames[arch] ?? arch);
    return this.#found.find(({ platform }) => platform.os === os && platform.arch === name);
  }

  /** Returns the version of the release for a platform if it is newer than the given one. */
  newerThan(version: string | null, platform: ReportedPlatform): string | null {
    const release = this.of(platform);
    if (!release || version === null) return null;
    return compareVersions(release.signature.version, version) > 0 ? release.signature.version : null;
  }

  async #read(): Promise<void> {
    const found: Release[] = [];
    for (const os of agentSystems)
      for (const arch of agentArchs) {
        // An unreadable binary is no release; its own endpoint reports the error.
        const agent = await this.#agents.find(os, arch).catch(() => undefined);
        if (!agent) continue;
        await agent.handle.close();
        const { platform, size, release: signature, version } = agent;
        if (signature && signature.version === version) found.push({ platform, size, signature });
      }
    this.#found = found;
    this.#readAt = performance.now();
  }
}
