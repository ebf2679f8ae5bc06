import type { Manifest, ManifestAction } from '@hortus/contract/template/manifest';
import { checkParams, fillArguments, fillParams } from '@hortus/template/action-params';
import type { ActionRequest } from './action.ts';

export interface AllowedAction {
  /** Its texts filled with the params of this request. */
  action: ManifestAction;
  argv: string[];
}

/** What a request must keep to. */
export type ActionRule = 'instance' | 'action' | 'type' | 'params' | 'command';

export type Permission = ({ ok: true } & AllowedAction) | { ok: false; rule: ActionRule; message: string };

/**
 * An action is carried out only as the signed manifest of the instance says it. The request may choose which, and with
 * which params; what it says of the command must come to the same, or somebody has changed it on the way.
 */
export function allowedAction(request: ActionRequest, manifest: Manifest | undefined): Permission {
  const { action: asked, params } = request;
  if (manifest === undefined)
    return refused('instance', `No instance ${request.container_name} was deployed by this daemon.`);
  const declared = manifest.actions.find(({ slug }) => slug === asked.slug);
  if (declared === undefined) return refused('action', `The manifest of the instance has no action ${asked.slug}.`);
  if (declared.type !== asked.type)
    return refused('type', `In the manifest, ${asked.slug} is of type ${declared.type}.`);
  const checked = checkParams(declared.params as Parameters<typeof checkParams>[0], params);
  if (!checked.ok) {
    const [problem] = checked.problems;
    return refused('params', `${problem?.field} ${problem?.message}.`);
  }
  const argv = fillArguments(declared.command ?? [], checked.values);
  if (declared.type !== 'http' && !same(argv, asked.command)) {
    return refused('command', `The command is not the one that the manifest has for ${asked.slug} and these params.`);
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
