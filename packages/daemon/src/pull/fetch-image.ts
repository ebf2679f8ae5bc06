import type { RegistryLogin } from '@hortus/contract/resources/manifest';
import { isFloating, parseImage, registryOf } from '@hortus/template/image-reference';
import type { Engine } from '../engine/engine.ts';
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
  /** For the log of the deployment. */
  say?(level: 'info' | 'warn', message: string): void;
}

/**
 * Sees to it that the engine has the image. One whose tag names a version is taken as it is there; one whose tag floats may be
 * asked for again, because that is what such a tag is for, but not being able to ask is no reason to fail.
 */
export async function fetchImage(image: string, fetching: Fetching): Promise<string> {
  const { engine, renew, say } = fetching;
  const isThere = await engine.hasImage(image);
  if (isThere && !(renew && isFloating(parseImage(image)))) return `Image ${image} is there`;
  try {
    await pullImage(image, fetching);
    return `Pulled ${image}`;
  } catch (error) {
    if (!isThere || fetching.signal?.aborted) throw error;
    say?.('warn', `${(error as Error).message}; the ${image} that is there is used`);
    return `Image ${image} is there`;
  }
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
