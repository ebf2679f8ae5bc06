import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askDocker } from './docker-request.ts';
import { busyboxImage, type ImageOptions } from './images.ts';
import { freePort } from './port.ts';
import { startProcess } from './process.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface Registry extends AsyncDisposable {
  /** Prefix of image names; engines trust it without TLS, because it is on this machine. */
  readonly host: string;
  /**
   * Builds an image, pushes it as `<host>/<name>:<tag>`, removes it from the engine and returns its reference. Moves an
   * existing tag.
   */
  publish(socketPath: string, name: string, tag?: string, image?: ImageOptions): Promise<string>;
}

/** Login of a locked registry. */
export const registryLogin = { username: 'gardener', password: 'dig-it-deeply' };
/** bcrypt hash of that password. */
const passwordHash = '$2b$04$..aMDPuhIhC2NyXLTDrgYOG5gcTpliK9KP50mHJlh2lq1THxsy.wO';

/** Starts Debian's registry with its own folder and port; a locked one requires `registryLogin`. */
export async function startRegistry({ locked = false } = {}): Promise<Registry> {
  const folder = temporaryFolder('registry');
  const host = `127.0.0.1:${await freePort()}`;
  const config = join(folder.path, 'config.yml');
  const users = join(folder.path, 'htpasswd');
  writeFileSync(users, `${registryLogin.username}:${passwordHash}\n`);
  const images = join(folder.path, 'images');
  writeFileSync(config, JSON.stringify(configOf(host, images, locked ? users : undefined)));
  const DOCKER_CONFIG = join(folder.path, 'docker');
  mkdirSync(DOCKER_CONFIG);
  const auth = Buffer.from(`${registryLogin.username}:${registryLogin.password}`).toString('base64');
  writeFileSync(join(DOCKER_CONFIG, 'config.json'), JSON.stringify({ auths: { [host]: { auth } } }));
  const child = startProcess(['docker-registry', 'serve', config]);
  // Responds here whether it is locked or not.
  await child.waitForHttp(`http://${host}/`);
  return {
    host,
    async publish(socketPath, name, tag = '1', image = {}) {
      const ref = `${host}/${name}:${tag}`;
      // Unique content, so that a pull has something to fetch.
      await busyboxImage(socketPath, ref, {
        ...image,
        files: { '/unique': randomBytes(300_000).toString('base64'), ...image.files },
      });
      const push = startProcess(['docker', '-H', `unix://${socketPath}`, 'push', '--quiet', ref], {
        env: { DOCKER_CONFIG },
      });
      const { code } = await push.exited;
      if (code !== 0) throw new Error(`Pushing ${ref} failed: ${push.output}`);
      const { status, text } = await askDocker(socketPath, 'DELETE', `/images/${ref}`);
      if (status !== 200) throw new Error(`${ref} cannot be removed: ${text}`);
      return ref;
    },
    async [Symbol.asyncDispose]() {
      await child.stop();
      await folder.remove();
    },
  };
}

/** JSON is valid YAML. */
const configOf = (addr: string, rootdirectory: string, users: string | undefined) => ({
  version: 0.1,
  log: { level: 'warn', accesslog: { disabled: true } },
  storage: { filesystem: { rootdirectory } },
  http: { addr },
  ...(users === undefined ? {} : { auth: { htpasswd: { realm: 'garden', path: users } } }),
});
