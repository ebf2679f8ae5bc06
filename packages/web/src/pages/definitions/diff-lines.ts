import type { Revision } from '@hortus/contract/resources/definition-records';

export interface DiffLine {
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly differs: boolean;
}

/** Every setting of two revisions, the changed ones first. Values of secrets are not known here. */
export function linesOf(left: Revision, right: Revision): DiffLine[] {
  const [before, after] = [textsOf(left), textsOf(right)];
  const changedSecrets = new Set(
    // Only a direct step tells whether the value of a secret changed.
    Math.abs(right.number - left.number) === 1
      ? (right.number > left.number ? right : left).changes.map(({ field }) => field)
      : [],
  );
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const lines = names.map((name) => ({
    name,
    before: before.get(name),
    after: after.get(name),
    differs: before.get(name) !== after.get(name) || changedSecrets.has(`secrets.${name}`),
  }));
  return [...lines.filter(({ differs }) => differs), ...lines.filter(({ differs }) => !differs)];
}

function textsOf({ template_id, profile, variant, inputs, secret_inputs, bindings }: Revision): Map<string, string> {
  return new Map([
    ['template', template_id],
    ['profile', profile],
    ['variant', variant ?? 'default'],
    ...Object.entries(inputs).map(([name, value]): [string, string] => [name, String(value)]),
    ...secret_inputs.map((name): [string, string] => [name, '••••••']),
    ...Object.entries(bindings).map(([need, { instance, connection }]): [string, string] => [
      `need ${need}`,
      instance ?? connection ?? '',
    ]),
  ]);
}
