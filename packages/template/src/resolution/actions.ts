import type { Manifest, ManifestAction } from '@hortus/contract/template/manifest';
import type { Canonical, CanonicalAction } from '../canonical/canonical-form.ts';
import { restoresInto } from '../canonical/dump-restore.ts';
import { imageText } from '../notation/image-reference.ts';
import { milliseconds } from '../notation/quantity.ts';
import { deepFill } from './deep-fill.ts';
import { projectBackup } from './projections.ts';
import type { Scope } from './scope.ts';

/** Fills everything of an action except its params, which come with each execution. */
export function resolveAction(
  action: CanonicalAction,
  pointer: string,
  scope: Scope,
  secretPaths: string[],
): ManifestAction {
  const { params, timeout, image, env, http, ...rest } = deepFill(
    action,
    pointer,
    (text) => scope.fillExceptParams(text),
    secretPaths,
  );
  return {
    ...rest,
    env: (env as Record<string, string> | undefined) ?? {},
    params,
    timeout_ms: milliseconds(timeout) ?? 0,
    ...(image === undefined ? {} : { image: typeof image === 'string' ? image : imageText(image) }),
    ...(http === undefined ? {} : { http: { ...http, method: http.method ?? 'POST', headers: http.headers ?? {} } }),
  };
}

export function resolveBackup(spec: Canonical, scope: Scope, secretPaths: string[]): Manifest['backup'] {
  const { restore_command } = deepFill(spec.backup, '/backup', (text) => scope.fill(text), secretPaths);
  const { restore_needs } = spec.backup;
  return {
    ...projectBackup(spec.backup),
    ...(restore_command === undefined ? {} : { restore_command }),
    // Always written: daemons older than the rule read its absence as `running`.
    ...(restore_command === undefined ? {} : { restore_into: restoresInto(spec) }),
    ...(restore_needs === undefined ? {} : { restore_needs }),
  };
}

export function resolveSmoke(spec: Canonical, scope: Scope, secretPaths: string[]): Manifest['smoke'] {
  return deepFill(spec.smoke, '/smoke', (text) => scope.fill(text), secretPaths).map(({ http, tcp, exec }) => ({
    ...(http === undefined ? {} : { http: { ...http, path: http.path ?? '/', expect: http.expect ?? 200 } }),
    ...(tcp === undefined ? {} : { tcp: { ...tcp, component: tcp.component ?? '' } }),
    ...(exec === undefined ? {} : { exec: { ...exec, component: exec.component ?? '' } }),
  }));
}
