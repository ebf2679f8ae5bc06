import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Canonical } from '../canonical/canonical-form.ts';
import { loadCatalog } from '../catalog/load.ts';
import { exampleInputs } from '../inputs/example-inputs.ts';
import { checkInputs } from '../inputs/inputs.ts';
import { generateSecrets } from '../secrets/secrets.ts';
import { resolve } from './resolve.ts';

const CLASSES = {
  'email.smtp': {
    host: 'smtp.bound.example',
    port: '2525',
    username: 'bound-user',
    password: 'bound-password',
    from: 'bound@sender.example',
  },
  'identity.oidc': {
    issuer: 'https://id.bound.example',
    client_id: 'bound-client',
    client_secret: 'bound-secret',
    discovery_url: 'https://id.bound.example/discovery',
    authorization_url: 'https://id.bound.example/authorize',
    token_url: 'https://id.bound.example/token',
    userinfo_url: 'https://id.bound.example/userinfo',
  },
} as const;

/** Attributes that a species cannot use, with the reason. */
const unused: Readonly<Record<string, readonly string[]>> = {
  // They want the sender in two parts.
  nextcloud: ['from'],
  owncloud: ['from'],
  // Its sender is set in its administration.
  moodle: ['from'],
};

/** Applications need either the issuer or addresses that follow from it. */
const either = ['issuer', 'discovery_url', 'authorization_url', 'token_url', 'userinfo_url'];

let catalog: Canonical[];
beforeAll(async () => {
  const loaded = await loadCatalog(join(import.meta.dirname, '../../../../catalog'));
  catalog = loaded.flatMap(({ spec }) => spec ?? []);
}, 60_000);

describe.each(Object.entries(CLASSES))('%s', (name, attributes) => {
  const needing = () => catalog.filter(({ needs }) => needs.some((need) => need.class === name));

  it('what is bound reaches every species that needs it, and typed values are not used', {
    timeout: 60_000,
  }, async () => {
    expect(needing().length).toBeGreaterThan(15);
    for (const spec of needing()) {
      const bound = await manifestOf(spec, name, attributes);
      const required = Object.entries(attributes).filter(
        ([attribute]) => !unused[spec.slug]?.includes(attribute) && !either.includes(attribute),
      );
      for (const [attribute, value] of required) expect(bound, `${spec.slug}: ${attribute}`).toContain(value);
      if (name === 'identity.oidc') expect(bound, spec.slug).toContain('https://id.bound.example');
    }
  });

  it('without a binding nothing of it is configured', { timeout: 60_000 }, async () => {
    for (const spec of needing()) expect(await manifestOf(spec, name, undefined), spec.slug).not.toContain('bound');
  });
});

async function manifestOf(spec: Canonical, name: string, attributes: Readonly<Record<string, string>> | undefined) {
  const checked = checkInputs(spec, exampleInputs(spec), { mode: 'create' });
  if (!checked.ok) throw new Error(`${spec.slug}: ${checked.problems[0]?.message}`);
  const overrides = Object.fromEntries(Object.entries(checked.values).map(([key, value]) => [key, String(value)]));
  const secrets = await generateSecrets(spec, { existing: overrides });
  const own = spec.needs.filter((need) => need.class === name);
  const needs = attributes && Object.fromEntries(own.map(({ as }) => [as, attributes]));
  const [profile = ''] = Object.keys(spec.profiles);
  const instance = { uid: 'one', name: spec.name, server_id: 'srv_paper' };
  const [variant] = spec.image?.variants.map(({ id }) => id) ?? [];
  const chosen = variant === undefined ? { profile } : { profile, variant };
  const resolution = resolve(spec, { ...chosen, inputs: checked.values, secrets, instance, needs: needs ?? {} });
  if (!resolution.ok) throw new Error(`${spec.slug}: ${resolution.problems[0]?.message}`);
  return JSON.stringify(resolution.manifest.components);
}
