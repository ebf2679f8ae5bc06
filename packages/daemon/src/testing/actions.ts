import type { ManifestAction } from '@hortus/contract/template/manifest';
import type { ActionRequest } from '../journal/action.ts';

/** Builds an action of a manifest in component main. */
export function action(slug: string, command: string[], overrides: Partial<ManifestAction> = {}): ManifestAction {
  return {
    name: slug,
    slug,
    description: '',
    type: 'exec',
    component: 'main',
    command,
    env: {},
    timeout_ms: 60_000,
    dangerous: false,
    params: [],
    ...overrides,
  };
}

let executions = 0;

/** Builds a request as it comes over the channel, for the instance `blog` by default. */
export function request(
  slug: string,
  command: string[],
  params: Record<string, unknown> = {},
  container_name = 'blog',
): ActionRequest {
  executions++;
  return {
    execution_id: `exe_${process.pid}_${executions}`,
    instance_id: 'ins_1',
    container_name,
    action: { slug, type: 'exec', command, timeout: '60s' },
    params,
  };
}
