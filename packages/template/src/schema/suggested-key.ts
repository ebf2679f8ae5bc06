import { didYouMean, nearest } from './nearest.ts';

/** Keys of other formats, mainly Compose, and their equivalents in templates. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  environment: 'env',
  variables: 'vars',
  parameters: 'inputs',
  services: 'components',
  containers: 'components',
  volumes: 'storage',
  configs: 'files',
  expose: 'ports',
  args: 'command',
  cmd: 'command',
  deploy: 'resources',
  mem_limit: 'resources',
  limits: 'resources',
  cap_add: 'capabilities',
  cap_drop: 'capabilities',
  security_opt: 'confinement',
  network_mode: 'network',
  depends: 'depends_on',
  requires: 'needs',
  title: 'name',
  category: 'taxonomy',
};

/** Returns the key that was probably meant by an unknown one. */
export function suggestedKey(key: string, known: readonly string[]): string | undefined {
  const elsewhere = Object.keys(ELSEWHERE).filter((word) => known.includes(ELSEWHERE[word] ?? ''));
  const meant = nearest(key, [...known, ...elsewhere]);
  if (meant === undefined) return undefined;
  return didYouMean(known.includes(meant) ? meant : (ELSEWHERE[meant] ?? meant), known);
}
