import { beforeAll, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';

onBothEngines((engine) => {
  let service: RunningService;
  let inkwell: { id: string; version: string };
  beforeAll(async () => {
    service = await startApp(engine);
    [inkwell] = (await service.request('GET', '/templates?species=inkwell')).json.data;
  });
  const get = (path: string) => service.request('GET', `/taxonomy${path}`);
  const read = async (path: string) => (await get(path)).json.data;

  it('the taxonomy is a tree from kingdoms to species, empty kingdoms included', async () => {
    const { kingdoms } = await read('/tree');
    type Node = { id: string; families: { id: string; species: { id: string }[] }[] };
    const short = kingdoms.map(({ id, families }: Node) => [
      id,
      families.map((family) => [family.id, family.species.map((species) => species.id)]),
    ]);
    expect(short).toEqual([
      ['infrastructure', [['networking', ['courier']]]],
      ['data', []],
      [
        'applications',
        [
          ['blog', ['inkwell']],
          ['test', ['seed']],
        ],
      ],
      ['assets', []],
    ]);
  });

  it('each level of the taxonomy counts its content', async () => {
    expect(await read('/kingdoms')).toMatchObject([
      { id: 'infrastructure', name: 'Infrastructure', family_count: 1, species_count: 1 },
      { id: 'data', family_count: 0, species_count: 0 },
      { id: 'applications', family_count: 2, species_count: 2 },
      { id: 'assets', family_count: 0, species_count: 0 },
    ]);
  });

  it('each level of the taxonomy is read with the one below it', async () => {
    const kingdom = await read('/kingdoms/applications');
    expect(kingdom).toMatchObject({ id: 'applications', families: [{ id: 'blog', species_count: 1 }, { id: 'test' }] });
    expect(kingdom.families[0]).not.toHaveProperty('species');
    const family = await read('/families/blog');
    expect(family).toMatchObject({ id: 'blog', name: 'Blogs', kingdom: 'applications', species_count: 1 });
    expect(family.species).toMatchObject([{ id: 'inkwell', template_id: inkwell.id, version: inkwell.version }]);
    expect(await read('/species/inkwell')).toEqual({
      ...family.species[0],
      variants: [
        { id: 'debian', tag: '4.2.1', default: true },
        { id: 'alpine', tag: '4.2.1-alpine', default: false },
      ],
    });
    expect((await read('/species/seed')).variants).toEqual([]);
    expect(await read('/kingdoms/data')).toMatchObject({ id: 'data', families: [] });
  });

  it.each(['/kingdoms/plants', '/families/weeds', '/species/dandelion', '/kingdoms/constructor'])(
    'the taxonomy answers 404 for %s',
    async (path) => {
      expectRefusal(await get(path), 'NOT_FOUND');
    },
  );
});
