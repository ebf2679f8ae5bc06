import { join } from 'node:path';
import { agentMark } from '@hortus/contract/releases/agent-file';
import type { ReleaseSignature } from '@hortus/contract/releases/release-signature';
import { VERSION } from '@hortus/contract/releases/version';
import { localReleaseFile } from '@hortus/daemon/update/check-release';
import { buildAgent } from '../../scripts/agent/build.ts';
import type { DaemonBundle } from '../../scripts/agent/bundle.ts';
import { makeReleaseKey, readPrivateKey } from '../../scripts/release/release-key.ts';
import { signRelease } from '../../scripts/release/sign.ts';

export interface Release {
  readonly binary: string;
  readonly signature: ReleaseSignature;
}

/** Builds single executables of several versions that trust one release key, and signs them. */
export class Releases {
  readonly #folder: string;
  readonly #keyFile: string;
  readonly #publicKey: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#keyFile = join(folder, 'release.pem');
    this.#publicKey = makeReleaseKey(this.#keyFile);
  }

  async build(version: string, change: (code: string) => string = (code) => code): Promise<Release> {
    const binary = join(this.#folder, version, localReleaseFile());
    await buildAgent({
      arch: process.arch === 'arm64' ? 'arm64' : 'amd64',
      output: binary,
      releaseKeys: [this.#publicKey],
      changed: (bundle) => withVersion(bundle, version, change),
    });
    return { binary, signature: await signRelease(binary, version, readPrivateKey(this.#keyFile)) };
  }
}

function withVersion({ main, scripts }: DaemonBundle, version: string, change: (code: string) => string): DaemonBundle {
  const changed = Object.entries(scripts).map(([name, code]) => {
    const own = name === './version.js' ? code.replace(`\`${VERSION}\``, `\`${version}\``) : code;
    return [name, change(own)];
  });
  return { main: main.replace(agentMark(VERSION), agentMark(version)), scripts: Object.fromEntries(changed) };
}
