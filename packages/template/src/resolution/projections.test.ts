import { SpecById, SpecBySpecies } from '@hortus/contract/resources/template-spec-shapes';
import type { Template } from '@hortus/contract/template/schema';
import Compile from 'typebox/compile';
import { describe, expect, it } from 'vitest';
import { canonical } from '../canonical/canonical.ts';
import { parse } from '../source/parse.ts';
import { INKWELL, SEED } from '../testing/inkwell.ts';
import { projectBackup, projectById, projectBySpecies } from './projections.ts';

const inkwell = canonical(parse(INKWELL).value as Template);
const seed = canonical(parse(SEED).value as Template);

describe('the published forms of a template', () => {
  it('match the schemas of the contract, for a large and a minimal template', () => {
    for (const spec of [inkwell, seed]) {
      expect(Compile(SpecBySpecies).Check(projectBySpecies(spec))).toBe(true);
      expect(Compile(SpecById).Check(projectById(spec))).toBe(true);
    }
  });

  it('show the image as a reference in the form by species', () => {
    const spec = projectBySpecies(inkwell);
    expect(spec.image).toBe('registry.example.org/inkwell/inkwell:4.2.1');
    expect(spec.inputs.required).toMatchObject([{ name: 'WEB_HOSTNAME', type: 'domain', required: true }]);
    expect(spec.healthcheck).toMatchObject({ http: { port: 8080 } });
    expect(spec.secrets).toHaveProperty('DB_PASSWORD');
    expect(spec.storage.map(({ name }) => name)).toEqual(['uploads', 'dbdata']);
    expect(spec.canonical).toBe(inkwell);
  });

  it('show the image as an object in the form by id', () => {
    const spec = projectById(inkwell);
    expect(spec.image).toEqual({
      repository: 'registry.example.org/inkwell/inkwell',
      tag: '4.2.1',
      digest: null,
      variants: [
        { id: 'debian', tag: '4.2.1', default: true },
        { id: 'alpine', tag: '4.2.1-alpine', default: false },
      ],
    });
    expect(spec.user_inputs.SITE_TITLE).toMatchObject({ type: 'string', required: false, default: 'My blog' });
    expect(spec.profiles).toEqual(['minimal', 'development', 'production']);
    expect(spec.ports).toEqual([{ container_port: 8080 }]);
    expect(spec.volumes.map(({ mount_path }) => mount_path)).toEqual(['/srv/uploads', '/var/lib/postgresql/data']);
  });

  it('never leave the tag of an image null', () => {
    const pinned = `sha256:${'a'.repeat(64)}`;
    const tagOf = (image: string) =>
      projectById(canonical(parse(SEED.replace(/image: .*/, `image: ${image}`)).value as Template)).image;
    expect(tagOf('{repository: nginx}')).toMatchObject({ tag: 'latest', digest: null });
    expect(tagOf(`{repository: nginx, digest: '${pinned}'}`)).toMatchObject({ tag: 'latest', digest: pinned });
  });

  it('list external secrets as password inputs and never show default passwords', () => {
    const more =
      'inputs: {optional: [{name: P, type: password, default: x}]}\nsecrets: {TOKEN: {external: true, label: Token}}\n';
    const { user_inputs } = projectById(canonical(parse(`${SEED}${more}`).value as Template));
    expect(user_inputs).toEqual({
      P: { type: 'password', required: false, immutable: false },
      TOKEN: { type: 'password', required: true, immutable: false, label: 'Token' },
    });
  });

  it('show the strategy none without a backup', () => {
    expect(projectBackup(seed.backup)).toEqual({
      strategy: 'none',
      volumes: [],
      dump_action: null,
      schedule_hint: null,
    });
  });
});
