import { didYouMean, nearest } from './nearest.ts';

/** What other formats, Compose before all, call what we call otherwise. */
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

/** The key that was probably meant by one that a mapping does not have. */
export function meantKey(key: string, known: readonly string[]): string | undefined {
  const elsewhere = Object.keys(ELSEWHERE).filter((word) => known.includes(ELSEWHERE[word] ?? ''));
  const meant = nearest(key, [...known, ...elsewhere]);
  if (meant === undefined) return undefined;
  return didYouMean(known.includes(meant) ? meant : (ELSEWHERE[meant] ?? meant), known);
}
