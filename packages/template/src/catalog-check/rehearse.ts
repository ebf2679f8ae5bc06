import type { Canonical } from '../canonical/canonical-form.ts';
import { exampleInputs } from '../inputs/example-inputs.ts';
import { checkInputs, type Inputs } from '../inputs/inputs.ts';
import { MIN_BCRYPT_COST } from '../interpolation/filters.ts';
import { resolve } from '../resolution/resolve.ts';
import { generateSecrets } from '../secrets/secrets.ts';

export interface Failure {
  path: string;
  message: string;
}

const INSTANCE = { uid: 'example', name: 'Example', server_id: 'srv_example' };

/**
 * Resolves every profile and variant of a template, with example inputs and generated secrets, without deploying
 * anything. Hashes are cheap ones: the usual cost was half of the time of checking a catalog.
 */
export async function rehearse(spec: Canonical): Promise<Failure[]> {
  const checked = checkInputs(spec, exampleInputs(spec), { mode: 'create' });
  if (!checked.ok) {
    const placeholders = checked.problems.map(({ field, message }) => ({
      path: field,
      message: `the example ${message}`,
    }));
    return placeholders;
  }
  const external = Object.fromEntries(Object.entries(checked.values).map(([name, value]) => [name, String(value)]));
  const secrets = await generateSecrets(spec, { existing: external });
  const needs = Object.fromEntries(spec.needs.map((need) => [need.as, { host: 'example', port: '1' }]));
  const failures: Failure[] = [];
  const variants = [undefined, ...(spec.image?.variants.map(({ id }) => id) ?? [])];
  for (const profile of Object.keys(spec.profiles)) {
    for (const variant of variants) failures.push(...attempt(profile, variant, checked.values));
  }
  return failures;

  function attempt(profile: string, variant: string | undefined, inputs: Inputs): Failure[] {
    const chosen = variant === undefined ? { profile } : { profile, variant };
    const resolution = resolve(spec, {
      ...chosen,
      inputs,
      secrets,
      instance: INSTANCE,
      needs,
      bcryptCost: MIN_BCRYPT_COST,
    });
    if (resolution.ok) return [];
    const where = `in profile ${profile}${variant === undefined ? '' : `, variant ${variant}`}`;
    return resolution.problems.map(({ field, message }) => ({ path: field, message: `${where}: ${message}` }));
  }
}
