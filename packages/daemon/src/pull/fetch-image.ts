import type { RegistryLogin } from '@hortus/contract/resources/manifest';
import { isFloating, parseImage, registryOf } from '@hortus/template/image-reference';
import type { Engine, Platform } from '../engine/engine.ts';
import { runsOn } from '../fingerprint/platform.ts';
import { PullReport } from './pull-progress.ts';

/** The image cannot be had; the message says why and what would help. */
export class ImageProblem extends Error {}

export interface Fetching {
  engine: Engine;
  logins: readonly RegistryLogin[];
  /** Whether a floating tag is asked for again: a deployment does, what runs between deployments keeps to what was deployed. */
  renew: boolean;
  signal?: AbortSignal;
  /** Something moved. */
  progress?(): void;
  /** It was not there before. */
  pulled?(image: string): void;
  /** For the log of the deployment. */
  say?(level: 'info' | 'warn', message: string): void;
}

/**
 * Sees to it that the engine has the image. One whose tag names a version is taken as it is there; one whose tag floats may be
 * asked for again, because that is what such a tag is for, but not being able to ask is no reason to fail.
 */
export async function fetchImage(image: string, fetching: Fetching): Promise<string> {
  const { engine, renew } = fetching;
  const there = await engine.image(image);
  const isWanted = there === undefined || (renew && isFloating(parseImage(image)));
  const isPulled = isWanted && (await renewed(image, fetching, there !== undefined));
  const found = isPulled ? await engine.image(image) : there;
  if (found) await requirePlatform(engine, image, found.platform);
  return isPulled ? `Pulled ${image}` : `Image ${image} is there`;
}

/** False where it could not be had and an older one is there instead. */
async function renewed(image: string, fetching: Fetching, isThere: boolean): Promise<boolean> {
  try {
    await pullImage(image, fetching);
    if (!isThere) fetching.pulled?.(image);
    return true;
  } catch (error) {
    if (!isThere || fetching.signal?.aborted) throw error;
    fetching.say?.('warn', `${(error as Error).message}; the ${image} that is there is used`);
    return false;
  }
}

/** Started all the same, it would end at once with `exec format error`, which tells nobody what to do. */
async function requirePlatform(engine: Engine, image: string, platform: Platform): Promise<void> {
  const server = await engine.platform();
  if (runsOn(platform, server)) return;
  const name = ({ os, arch }: Platform) => `${os}/${arch}`;
  throw new ImageProblem(`The image ${image} is for ${name(platform)}, and this server is ${name(server)}`);
}

/** Gets it from its registry, whatever is there. */
export async function pullImage(
  image: string,
  { engine, logins, signal, progress, say }: Omit<Fetching, 'renew'>,
): Promise<void> {
  const host = registryOf(image);
  const login = logins.find((one) => one.host === host);
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
  if (login === undefined) return `. If ${host} wants a password for it, keep one under /registries`;
  return `. ${host} did not take the password that is kept for ${login.username}`;
}
