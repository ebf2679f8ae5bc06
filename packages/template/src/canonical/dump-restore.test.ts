import { expect, test } from 'vitest';
import { loadCatalog } from '../catalog/load.ts';
import { canonical, specHash } from './canonical.ts';
import type { Canonical } from './canonical-form.ts';
import { keptVolumes, rebuiltVolumes, restoresInto, restoresIntoOn } from './dump-restore.ts';

const catalog = new Map(
  (await loadCatalog(new URL('../../../../catalog', import.meta.url).pathname)).flatMap(
    ({ species, spec, template }) => (spec && template ? [[species, { spec, template }] as const] : []),
  ),
);
const species = (slug: string) => catalog.get(slug) ?? expect.fail(`the catalog has no ${slug}`);
const dumped = [...catalog.values()].filter(({ spec }) => ['dump', 'both'].includes(spec.backup.strategy));
const mount = (name: string, more: object = {}) => ({ name, read_only: false, critical: false, ...more });

test('every dump of the catalog is read into an empty database, and the rule changes no hash', () => {
  expect(dumped.length).toBeGreaterThan(90);
  for (const { spec, template } of dumped) {
    expect(restoresInto(spec), spec.slug).toBe('empty');
    const said = template.backup?.restore_into;
    expect(spec.backup.restore_into, spec.slug).toBe(said);
    expect(specHash(canonical(template))).toBe(specHash(spec));
  }
});

test('a version published before its restore could create the database is restored as it runs', () => {
  const { spec } = species('wallabag');
  const older: Canonical = { ...spec, version: '1.1.0' };
  expect([restoresInto(older), restoresInto(spec)]).toEqual(['running', 'empty']);
  const stated = { ...older, backup: { ...older.backup, restore_into: 'empty' as const } };
  expect(restoresInto(stated)).toBe('empty');
});

test('only what a dump rebuilds is emptied: critical volumes that it writes and no copy replaces', () => {
  const storage = [mount('rows', { critical: true }), mount('config'), mount('schema', { read_only: true })];
  expect(rebuiltVolumes(storage, new Set())).toEqual(['rows']);
  expect(keptVolumes(storage, new Set())).toEqual(['config', 'schema']);
  expect(rebuiltVolumes(storage, new Set(['rows']))).toEqual([]);
  const unmarked = [mount('rows'), mount('schema', { read_only: true }), mount('host', { host_path: '/srv' })];
  expect([rebuiltVolumes(unmarked, new Set()), keptVolumes(unmarked, new Set())]).toEqual([['rows'], ['schema']]);
});

test('each dump of the catalog rebuilds the volume of its database, or has a copy of it', () => {
  const without = dumped.filter(({ spec }) => {
    const action = spec.actions.find(({ slug }) => slug === spec.backup.dump_action);
    const storage = spec.components[action?.component ?? '']?.storage ?? [];
    return rebuiltVolumes(storage, new Set(spec.backup.volumes.map(({ name }) => name))).length !== 1;
  });
  expect(without.map(({ spec }) => spec.slug)).toEqual(['rabbitmq']);
});

test('a daemon that empties every volume keeps those that no dump rebuilds, as it runs', () => {
  for (const slug of ['guacamole', 'librechat']) {
    const { spec } = species(slug);
    expect([restoresIntoOn(spec, true), restoresIntoOn(spec, false)], slug).toEqual(['empty', 'running']);
  }
  // Before the rule these said so themselves, and lost nothing.
  for (const slug of ['rocketchat', 'miniflux']) expect(restoresIntoOn(species(slug).spec, false), slug).toBe('empty');
});
