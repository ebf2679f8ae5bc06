import type { Forge } from '@hortus/contract/resources/garden-source-records';
import { trimmed } from '@hortus/contract/runtime/trimmed';

const known: Readonly<Record<string, Forge>> = {
  'github.com': 'github',
  'gitlab.com': 'gitlab',
  'gitea.com': 'gitea',
  'codeberg.org': 'forgejo',
};

/** Guesses the forge from the name of its host, such as `gitlab.example.org`. */
export function providerOf(url: string): Forge | null {
  const { hostname } = new URL(url);
  const found = known[hostname];
  if (found) return found;
  const labels = hostname.split('.');
  return (['github', 'gitlab', 'gitea', 'forgejo'] as const).find((name) => labels.includes(name)) ?? null;
}

/** User name that a forge expects beside an access token. */
export const usernameFor = (provider: Forge | null): string =>
  provider === 'github' ? 'x-access-token' : provider === 'gitlab' ? 'oauth2' : 'git';

/** Path of a repository on its host, without slashes around it and without `.git`. */
export const repositoryPath = (url: string): string =>
  trimmed(decodeURIComponent(new URL(url).pathname), '/').replace(/\.git$/, '');
