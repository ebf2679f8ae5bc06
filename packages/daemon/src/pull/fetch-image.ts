import type { RegistryLogin } from '@hortus/contract/resources/manifest';
import { isFloating, parseImage, registryOf } from '@hortus/template/notation/image-reference';
import { isMadeImage } from '@hortus/template/notation/made-images';
import type { Engine, Platform } from '../engine/engine.ts';
import { runsOn } from '../fingerprint/platform.ts';
import { ImageProblem } from './image-problem.ts';
import { localImage, substitution } from './local-image.ts';
import { madeImage, making } from './made-image.ts';
import { PullReport } from './pull-progress.ts';

export interface Fetching {
  engine: Engine;
  logins: readonly RegistryLogin[];
  /** Whether floating tags are pulled again: deployments do, jobs between deployments keep the deployed image. */
  renew: boolean;
  signal?: AbortSignal;
  /** Called on progress. */
  progress?(): void;
  /** Called if the image was not on the server before. */
  pulled?(image: string): void;
  /** Logs a line of the deployment. */
  say?(level: 'info' | 'warn', message: string): void;
}

/**
 * Ensures that the engine has the image. A local image with a version tag is used as it is. A floating tag may be
 * pulled again; a failure of that is only a warning. A local substitute is never pulled, and neither is an image that the
 * server makes itself.
 */
export async function fetchImage(image: string, fetching: Fetching): Promise<string> {
  const { engine, renew } = fetching;
  const substitute = engine.substituteFor(image);
  if (substitute !== undefined) {
    const local = await localImage(engine, image, substitute);
    await requirePlatform(engine, substitute, local.platform);
    return substitution(image, substitute);
  }
  if (isMadeImage(image)) {
    const made = await madeImage(engine, image, false);
    // Like a pulled image it is removed once nothing uses it, because it can be made again.
    if (made.from !== undefined) fetching.pulled?.(image);
    await requirePlatform(engine, image, made.platform);
    return making(image, made);
  }
  const there = await engine.image(image);
  const isWanted = there === undefined || (renew && isFloating(parseImage(image)));
  const isPulled = isWanted && (await renewed(image, fetching, there !== undefined));
  const found = isPulled ? await engine.image(image) : there;
  if (found) await requirePlatform(engine, image, found.platform);
  return isPulled ? `Pulled ${image}` : `Image ${image} is already present`;
}

/** Pulls the image; false if that failed but a local one exists. */
async function renewed(image: string, fetching: Fetching, isThere: boolean): Promise<boolean> {
  try {
    await pullImage(image, fetching);
    if (!isThere) fetching.pulled?.(image);
    return true;
  } catch (error) {
    if (!isThere || fetching.signal?.aborted) throw error;
    fetching.say?.('warn', `${(error as Error).message}; using the local ${image}`);
    return false;
  }
}

/** Rejects an image for another platform; starting it would fail with an obscure `exec format error`. */
async function requirePlatform(engine: Engine, image: string, platform: Platform): Promise<void> {
  const server = await engine.platform();
  if (runsOn(platform, server)) return;
  const name = ({ os, arch }: Platform) => `${os}/${arch}`;
  throw new ImageProblem(`The image ${image} is built for ${name(platform)}, but this server is ${name(server)}`);
}

/** Pulls from the registry even if a local image exists. */
export async function pullImage(
  image: string,
  { engine, logins, signal, progress, say }: Omit<Fetching, 'renew'>,
): Promise<void> {
  const host = registryOf(image);
  const login = logins.find((login) => login.host === host);
  const report = new PullReport(image);
  try {
    await engine.pull(
      image,
      (news) => {
        progress?.();
        const line = report.add(news);
        if (line !== undefined) say?.('info', line);
      },
      {
        ...(signal && { signal }),
        ...(login && { auth: { username: login.username, password: login.password, serveraddress: host } }),
      },
    );
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ImageProblem(`${(error as Error).message}${hint(error as Error, host, login)}`, { cause: error });
  }
}

function hint({ message }: Error, host: string, login: RegistryLogin | undefined): string {
  if (!/denied|unauthorized|authentication|no basic auth|forbidden/i.test(message)) return '';
  if (login === undefined) return `. If ${host} requires a login, store one under /registries`;
  return `. ${host} rejected the stored password of ${login.username}`;
}
