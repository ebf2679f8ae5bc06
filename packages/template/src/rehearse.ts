import type { Template } from '@hortus/contract/template/schema';
import { canonical, specHash } from './canonical.ts';
import type { Canonical } from './canonical-form.ts';
import { exampleInputs } from './example-inputs.ts';
import { checkInputs, type Inputs } from './inputs.ts';
import { resolve } from './resolve.ts';
import { generateSecrets } from './secrets.ts';

export interface Failure {
  path: string;
  message: string;
}

const INSTANCE = { uid: 'example', name: 'Example', server_id: 'srv_example' };

/** Deploys a template on paper: every profile and every variant, with example answers and generated secrets. */
export async function rehearse(template: Template, spec: Canonical): Promise<Failure[]> {
  const failures: Failure[] = [];
  if (specHash(canonical(reversed(template))) !== specHash(spec)) {
    failures.push({ path: '', message: 'the hash depends on the order of keys' });
  }
  const checked = checkInputs(spec, exampleInputs(spec), { mode: 'create' });
  if (!checked.ok) {
    const placeholders = checked.problems.map(({ field, message }) => ({
      path: field,
      message: `the example ${message}`,
    }));
    return [...failures, ...placeholders];
  }
  const external = Object.fromEntries(Object.entries(checked.values).map(([name, value]) => [name, String(value)]));
  const secrets = await generateSecrets(spec, { existing: external });
  const needs = Object.fromEntries(spec.needs.map((need) => [need.as, { host: 'example', port: '1' }]));
  const variants = [undefined, ...(spec.image?.variants.map(({ id }) => id) ?? [])];
  for (const profile of Object.keys(spec.profiles)) {
    for (const variant of variants) failures.push(...attempt(profile, variant, checked.values));
  }
  return failures;

  function attempt(profile: string, variant: string | undefined, inputs: Inputs): Failure[] {
    const chosen = variant === undefined ? { profile } : { profile, variant };
    const resolution = resolve(spec, { ...chosen, inputs, secrets, instance: INSTANCE, needs });
    if (resolution.ok) return [];
    return resolution.problems.map(({ field, message }) => ({
      path: field,
      message: `in profile ${profile}: ${message}`,
    }));
  }
}

function reversed<T>(value: T): T {
  if (Array.isArray(value)) return value.map(reversed) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([key, inner]) => [key, reversed(inner)])) as T;
}
