import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askDocker } from './docker-request.ts';
import { busyboxImage } from './images.ts';
import { freePort } from './port.ts';
import { startProcess } from './process.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface Registry extends AsyncDisposable {
  /** As it stands in front of the name of an image; an engine trusts it without TLS, because it is on this machine. */
  readonly host: string;
  /** Makes an image, pushes it as `<host>/<name>:<tag>` and takes it away from the engine. Answers its reference. */
  publish(socketPath: string, name: string, tag?: string): Promise<string>;
}

/** A real registry, Debian's, with a folder and a port of its own. */
export async function startRegistry(): Promise<Registry> {
  const folder = temporaryFolder('registry');
  const host = `127.0.0.1:${await freePort()}`;
  const config = join(folder.path, 'config.yml');
  writeFileSync(config, JSON.stringify(configOf(host, join(folder.path, 'images'))));
  const child = startProcess(['docker-registry', 'serve', config]);
  await child.waitForHttp(`http://${host}/v2/`);
  return {
    host,
    async publish(socketPath, name, tag = '1') {
      const ref = `${host}/${name}:${tag}`;
      // Nobody has this content, so that a pull has something to fetch.
      await busyboxImage(socketPath, ref, { files: { '/unique': randomBytes(300_000).toString('base64') } });
      const push = startProcess(['docker', '-H', `unix://${socketPath}`, 'push', '--quiet', ref]);
      const { code } = await push.exited;
      if (code !== 0) throw new Error(`Pushing ${ref} failed: ${push.output}`);
      const { status, text } = await askDocker(socketPath, 'DELETE', `/images/${ref}`);
      if (status !== 200) throw new Error(`${ref} cannot be taken away: ${text}`);
      return ref;
    },
    async [Symbol.asyncDispose]() {
      await child.stop();
      await folder.remove();
    },
  };
}

/** JSON is YAML too. */
const configOf = (addr: string, rootdirectory: string) => ({
  version: 0.1,
  log: { level: 'warn', accesslog: { disabled: true } },
  storage: { filesystem: { rootdirectory } },
  http: { addr },
});
