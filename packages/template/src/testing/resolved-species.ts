import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InputValue } from '@hortus/contract/template/inputs';
import type { Manifest } from '@hortus/contract/template/manifest';
import type { Template } from '@hortus/contract/template/schema';
import { canonical } from '../canonical/canonical.ts';
import type { Canonical } from '../canonical/canonical-form.ts';
import { exampleInputs } from '../inputs/example-inputs.ts';
import { checkInputs } from '../inputs/inputs.ts';
import { resolve } from '../resolution/resolve.ts';
import { generateSecrets } from '../secrets/secrets.ts';
import { parse } from '../source/parse.ts';

const CATALOG = join(import.meta.dirname, '../../../../catalog');

/** Reads a species of the bundled catalog by its folder, such as blog/ghost. */
export async function readSpecies(folder: string): Promise<Canonical> {
  const text = await readFile(join(CATALOG, folder, 'template.yaml'), 'utf8');
  return canonical(parse(text).value as Template);
}

export interface Choices {
  readonly inputs?: Readonly<Record<string, InputValue>>;
  readonly needs?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Resolves a species as its first definition would be, with example inputs and generated secrets. */
export async function resolvedSpecies(spec: Canonical, { inputs = {}, needs = {} }: Choices = {}): Promise<Manifest> {
  const checked = checkInputs(spec, { ...exampleInputs(spec), ...inputs }, { mode: 'create' });
  if (!checked.ok) throw new Error(`${spec.slug}: ${checked.problems[0]?.field} ${checked.problems[0]?.message}`);
  const secrets = await generateSecrets(spec, {
    existing: Object.fromEntries(Object.entries(checked.values).map(([name, value]) => [name, String(value)])),
  });
  const [variant] = spec.image?.variants.map(({ id }) => id) ?? [];
  const chosen = variant === undefined ? { profile: 'development' } : { profile: 'development', variant };
  const instance = { uid: 'one', name: spec.name, server_id: 'srv_paper' };
  const resolution = resolve(spec, { ...chosen, inputs: checked.values, secrets, instance, needs });
  if (!resolution.ok) throw new Error(`${spec.slug}: ${resolution.problems[0]?.message}`);
  return resolution.manifest;
}
