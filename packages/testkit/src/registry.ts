import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askDocker } from './docker-request.ts';
import { busyboxImage, type ImageOptions } from './images.ts';
import { freePort } from './port.ts';
import { startProcess } from './process.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface Registry extends AsyncDisposable {
  /** As it stands in front of the name of an image; an engine trusts it without TLS, because it is on this machine. */
  readonly host: string;
  /**
   * Makes an image, pushes it as `<host>/<name>:<tag>` and takes it away from the engine. Answers its reference. The tag moves if
   * it is there already.
   */
  publish(socketPath: string, name: string, tag?: string, image?: ImageOptions): Promise<string>;
}

/** Who may sign in to a registry that is locked. */
export const registryLogin = { username: 'gardener', password: 'dig-it-deeply' };
/** Of that password, the only form that the registry reads. */
const passwordHash = '$2b$04$..aMDPuhIhC2NyXLTDrgYOG5gcTpliK9KP50mHJlh2lq1THxsy.wO';

/** A real registry, Debian's, with a folder and a port of its own; a locked one lets nobody in without `registryLogin`. */
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
  // It answers here whether it is locked or not.
  await child.waitForHttp(`http://${host}/`);
  return {
    host,
    async publish(socketPath, name, tag = '1', image = {}) {
      const ref = `${host}/${name}:${tag}`;
      // Nobody has this content, so that a pull has something to fetch.
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
const configOf = (addr: string, rootdirectory: string, users: string | undefined) => ({
  version: 0.1,
  log: { level: 'warn', accesslog: { disabled: true } },
  storage: { filesystem: { rootdirectory } },
  http: { addr },
  ...(users === undefined ? {} : { auth: { htpasswd: { realm: 'garden', path: users } } }),
});
