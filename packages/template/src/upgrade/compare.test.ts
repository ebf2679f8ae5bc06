import type { Template } from '@hortus/contract/template/schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical } from '../canonical/canonical.ts';
import { checkInputs } from '../inputs/inputs.ts';
import { parse } from '../source/parse.ts';
import { INKWELL } from '../testing/inkwell.ts';
import type { Chosen } from './asked.ts';
import { compareForUpgrade } from './compare.ts';

const inkwell = canonical(parse(INKWELL).value as Template);
const edited = (edit: (template: ReturnType<typeof draft>) => void) => {
  const copy = draft();
  edit(copy);
  return canonical(copy as Template);
};
// biome-ignore lint/suspicious/noExplicitAny: a template that is being rewritten
const draft = () => structuredClone(parse(INKWELL).value) as any;
const chosen: Chosen = {
  profile: 'development',
  inputs: { WEB_HOSTNAME: 'blog.example.org', LOG_LEVEL: 'debug' },
  held: ['SMTP_PASSWORD'],
};
const compare = (edit: (template: ReturnType<typeof draft>) => void, of: Partial<Chosen> = {}) =>
  compareForUpgrade(inkwell, edited(edit), { ...chosen, ...of });

describe('a comparison of two versions', () => {
  it('reports changes part by part, with both values', () => {
    const { changes, conflicts, newInputs } = compare((t) => {
      t.version = '1.3.0';
      t.image.tag = '4.3.0';
      t.image.variants[0].tag = '4.3.0';
      t.components.app.env.WORKERS = 4;
      t.components.app.env.CACHE = 'on';
      delete t.components.app.env.SITE_TITLE;
      t.components.cache = { image: 'docker.io/library/redis:8.0' };
      t.components.db.image.tag = '18.0';
      t.components.app.ports = [{ container_port: 2222, host_port: 2222 }];
      t.secrets.CACHE_KEY = { generate: 'hex' };
      t.inputs.optional[0].default = 'Our blog';
    });
    expect(changes).toEqual(
      expect.arrayContaining([
        { area: 'application', component: null, name: 'version', change: 'changed', from: '1.2.0', to: '1.3.0' },
        { area: 'component', component: null, name: 'cache', change: 'added', from: null, to: 'service' },
        expect.objectContaining({ area: 'image', component: 'app', to: 'registry.example.org/inkwell/inkwell:4.3.0' }),
        expect.objectContaining({ area: 'image', component: 'db', from: 'docker.io/library/postgres:17.5' }),
        { area: 'env', component: 'app', name: 'WORKERS', change: 'changed', from: '2', to: '4' },
        { area: 'env', component: 'app', name: 'CACHE', change: 'added', from: null, to: 'on' },
        expect.objectContaining({ area: 'env', name: 'SITE_TITLE', change: 'removed', to: null }),
        expect.objectContaining({ area: 'port', component: 'app', name: '2222/tcp', change: 'added' }),
        expect.objectContaining({ area: 'permission', component: 'app', change: 'added' }),
        expect.objectContaining({ area: 'secret', name: 'CACHE_KEY', change: 'added' }),
        { area: 'input', component: null, name: 'SITE_TITLE', change: 'changed', from: 'My blog', to: 'Our blog' },
      ]),
    );
    expect([conflicts, newInputs]).toEqual([[], []]);
  });

  it('omits a changed default that the user has overridden', () => {
    const { changes } = compare((t) => {
      t.inputs.optional[1].default = 'debug';
    });
    expect(changes.filter(({ area }) => area === 'input')).toEqual([]);
  });

  it('covers only the chosen variant and profile', () => {
    const edit = (t: ReturnType<typeof draft>) => {
      t.image.variants[1].tag = '4.2.2-alpine';
      t.profiles.production.components.app.resources.memory = '2Gi';
    };
    expect(compare(edit).changes).toEqual([]);
    expect(compare(edit, { variant: 'alpine' }).changes.map(({ area }) => area)).toEqual(['image', 'image']);
    expect(compare(edit, { profile: 'production' }).changes).toMatchObject([{ area: 'setting', name: 'resources' }]);
  });
});

describe('a choice of the user', () => {
  it('is a conflict if it is a secret that the newer version would show', () => {
    const { conflicts } = compare((t) => {
      t.inputs.optional.find((input: { name: string }) => input.name === 'SMTP_PASSWORD').type = 'string';
    });
    expect(conflicts).toMatchObject([{ field: 'inputs.SMTP_PASSWORD', reason: 'input_invalid' }]);
  });

  it('is a conflict if the newer version cannot keep it', () => {
    const edit = (t: ReturnType<typeof draft>) => {
      t.inputs.optional = t.inputs.optional.filter(({ name }: { name: string }) => name !== 'SMTP_PASSWORD');
      delete t.components.app.env.SMTP_PASSWORD;
      t.inputs.optional[1].options = [{ value: 'info' }];
      t.image.variants.pop();
    };
    expect(compare(edit, { variant: 'alpine' }).conflicts).toMatchObject([
      { field: 'variant', reason: 'variant_removed' },
      { field: 'inputs.SMTP_PASSWORD', reason: 'input_removed' },
      { field: 'inputs.LOG_LEVEL', reason: 'input_invalid' },
    ]);
  });

  it('is a conflict if the newer version lacks the profile', () => {
    const large = edited((t) => {
      t.profiles.large = { components: { app: { resources: { memory: '8Gi' } } } };
    });
    expect(compareForUpgrade(large, inkwell, { ...chosen, profile: 'large' }).conflicts).toMatchObject([
      { field: 'profile', reason: 'profile_removed' },
    ]);
  });

  it('is requested if it is newly required', () => {
    const { newInputs } = compare((t) => {
      t.inputs.required.push({ name: 'LICENCE', type: 'string', label: 'Licence key' }, t.inputs.optional[2]);
      t.inputs.optional.splice(2, 1);
      t.inputs.optional.push({ name: 'THEME', type: 'string', default: 'plain' });
      t.secrets.API_TOKEN = { external: true };
    });
    const brief = newInputs.map(({ name, required, type }) => [name, required, type]);
    expect(brief).toEqual([
      ['LICENCE', true, 'string'],
      ['ADMIN_EMAIL', true, 'email'],
      ['THEME', false, 'string'],
      ['API_TOKEN', true, 'password'],
    ]);
  });
});

describe('an irreversible change', () => {
  it('is a job declared irreversible, or a volume that is removed or moved', () => {
    const { irreversible } = compare((t) => {
      t.components.app.storage[0].mount_path = '/data';
      t.components.db.storage[0].name = 'pgdata';
    });
    expect(irreversible).toMatchObject([
      { component: 'migrate', reason: 'job' },
      { component: 'app', reason: 'volume_moved' },
      { component: 'db', reason: 'volume_removed' },
    ]);
  });
});

/** A template with a few inputs, variables and volumes, each of which may or may not be there. */
const aTemplate = fc.record({
  inputs: fc.uniqueArray(
    fc.record({
      name: fc.constantFrom('A', 'B', 'C', 'D'),
      type: fc.constantFrom('string' as const, 'integer' as const, 'password' as const),
      required: fc.boolean(),
      standard: fc.option(fc.constantFrom('1', '2'), { nil: undefined }),
    }),
    { selector: ({ name }) => name },
  ),
  env: fc.dictionary(fc.constantFrom('X', 'Y', 'Z'), fc.constantFrom('1', '2')),
  storage: fc.uniqueArray(fc.constantFrom('one', 'two')),
  external: fc.boolean(),
});
const built = aTemplate.map(({ inputs, env, storage, external }) => {
  const asked = inputs.map(({ name, type, standard }) => ({
    name,
    type,
    ...(standard !== undefined && { default: type === 'integer' ? Number(standard) : standard }),
  }));
  return canonical({
    slug: 's',
    name: 'S',
    version: '1.0.0',
    archetype: 'worker',
    taxonomy: { kingdom: 'data', family: 'test' },
    inputs: {
      required: asked.filter((_, index) => inputs[index]?.required),
      optional: asked.filter((_, index) => !inputs[index]?.required),
    },
    secrets: external ? { TOKEN: { external: true } } : {},
    components: { main: { image: 'a:1', env, storage: storage.map((name) => ({ name, mount_path: `/${name}` })) } },
  } as Template);
});
const aChoice = fc.record({
  profile: fc.constant('development'),
  inputs: fc.dictionary(fc.constantFrom('A', 'B', 'C', 'D'), fc.constantFrom('1', 'x')),
  held: fc.constantFrom([], ['TOKEN']),
});

describe('comparing any two templates', () => {
  it('finds no difference between a template and itself', () => {
    fc.assert(
      fc.property(built, aChoice, (spec, choice) => {
        expect(compareForUpgrade(spec, spec, choice).changes).toEqual([]);
        expect(compareForUpgrade(spec, spec, choice).irreversible).toEqual([]);
      }),
    );
  });

  it('finds the same changes in reverse', () => {
    const turned = { added: 'removed', removed: 'added', changed: 'changed' } as const;
    fc.assert(
      fc.property(built, built, (item, other) => {
        const nothing = { profile: 'development', inputs: {}, held: [] };
        const there = compareForUpgrade(item, other, nothing).changes;
        const back = compareForUpgrade(other, item, nothing).changes;
        const mirrored = back.map((c) => ({ ...c, change: turned[c.change], from: c.to, to: c.from }));
        expect(new Set(there.map((c) => JSON.stringify(c, Object.keys(c).sort())))).toEqual(
          new Set(mirrored.map((c) => JSON.stringify(c, Object.keys(c).sort()))),
        );
      }),
    );
  });

  it('allows an upgrade exactly if nothing conflicts and newly required inputs are given', () => {
    fc.assert(
      fc.property(built, built, aChoice, (item, other, choice) => {
        const { conflicts, newInputs } = compareForUpgrade(item, other, choice);
        const missing = newInputs.filter(({ required }) => required);
        const { inputs, held } = choice;
        const asItIs = checkInputs(other, inputs, { mode: 'merge', previous: {}, held });
        const heldGone = held.some((name) => conflicts.some(({ field }) => field === `inputs.${name}`));
        if (!heldGone) expect(asItIs.ok).toBe(conflicts.length === 0 && missing.length === 0);
        if (conflicts.length > 0) return;
        const overrides = Object.fromEntries(missing.map(({ name, type }) => [name, type === 'integer' ? 1 : 'given']));
        expect(checkInputs(other, { ...inputs, ...overrides }, { mode: 'merge', previous: {}, held }).ok).toBe(true);
      }),
    );
  });
});
