import type { Manifest, ManifestAction } from '@hortus/contract/template/manifest';
import { checkParams, fillArguments, fillParams } from '@hortus/template/inputs/action-params';
import type { ActionRequest } from '../journal/action.ts';

export interface AllowedAction {
  /** With the parameters of this request filled in. */
  action: ManifestAction;
  argv: string[];
}

/** Rule that a request must satisfy. */
type ActionRule = 'instance' | 'action' | 'type' | 'params' | 'command';

export type Permission = ({ ok: true } & AllowedAction) | { ok: false; rule: ActionRule; message: string };

/**
 * Checks a request against the signed manifest of the instance. The request chooses the action and its parameters; its
 * command must equal the declared one, or it was tampered with.
 */
export function allowedAction(request: ActionRequest, manifest: Manifest | undefined): Permission {
  const { action: asked, params } = request;
  if (manifest === undefined)
    return refused('instance', `Instance ${request.container_name} was not deployed by this daemon.`);
  const declared = manifest.actions.find(({ slug }) => slug === asked.slug);
  if (declared === undefined) return refused('action', `The manifest of the instance has no action ${asked.slug}.`);
  if (declared.type !== asked.type)
    return refused('type', `${asked.slug} has type ${declared.type} in the manifest, not ${asked.type}.`);
  const checked = checkParams(declared.params as Parameters<typeof checkParams>[0], params);
  if (!checked.ok) {
    const [problem] = checked.problems;
    return refused('params', `${problem?.field} ${problem?.message}.`);
  }
  const argv = fillArguments(declared.command ?? [], checked.values);
  if (declared.type !== 'http' && !same(argv, asked.command)) {
    return refused('command', `The command does not match the manifest for ${asked.slug} and these params.`);
  }
  const text = (value: string) => fillParams(value, checked.values);
  const texts = (values: Record<string, string>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, text(value)]));
  const { http } = declared;
  const action: ManifestAction = {
    ...declared,
    env: texts(declared.env),
    ...(http === undefined
      ? {}
      : {
          http: {
            ...http,
            path: text(http.path),
            headers: texts(http.headers),
            ...(http.body === undefined ? {} : { body: text(http.body) }),
          },
        }),
  };
  return { ok: true, action, argv };
}

function refused(rule: ActionRule, message: string): Permission {
  return { ok: false, rule, message };
}

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((argument, index) => argument === b[index]);
