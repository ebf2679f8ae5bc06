import { beforeAll, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';

onBothEngines((engine) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startApp(engine);
  });
  const read = async (path: string) => (await service.request('GET', `/catalog${path}`)).json;

  it.each([
    ['', ['blog inkwell', 'networking courier', 'test seed']],
    ['?family=blog', ['blog inkwell']],
    ['?family=nothing', []],
  ])('the catalog is listed by family: %s', async (query, expected) => {
    const { data, pagination } = await read(query);
    expect(data.map((item: { family: string; species: string }) => `${item.family} ${item.species}`)).toEqual(expected);
    expect(pagination.total).toBe(expected.length);
  });

  it('the catalog contains the same items as the list of templates', async () => {
    const { data } = (await service.request('GET', '/templates?species=inkwell')).json;
    expect((await read('?family=blog')).data).toEqual(data);
  });

  it('families have the names of the vocabulary, if it has them', async () => {
    const { data } = await read('/categories');
    expect(data).toEqual([
      {
        family: 'networking',
        name: 'Networking',
        description: expect.any(String),
        kingdom: 'infrastructure',
        count: 1,
      },
      { family: 'blog', name: 'Blogs', description: expect.any(String), kingdom: 'applications', count: 1 },
      { family: 'test', name: 'Test', description: '', kingdom: 'applications', count: 1 },
    ]);
    for (const { family, count } of data) expect((await read(`?family=${family}`)).data).toHaveLength(count);
  });

  it('the list is the whole catalog in one response, with the templates of the account and of no other', async () => {
    const source = `slug: pond
name: Pond
version: 1.0.0
archetype: application
taxonomy: {kingdom: applications, family: website, tags: [water]}
image: {repository: docker.io/library/nginx, tag: 1.29.2}
resources: {memory: 64Mi}
replicas: 2
`;
    const { data: draft } = await service.client.call('drafts.create', { body: { source } });
    await service.client.call('drafts.validate', { params: { id: draft.id } });
    await service.client.call('drafts.promote', { params: { id: draft.id } });
    const { data } = await read('/shelf');
    const names = data.species.map(({ species }: { species: string }) => species);
    expect(names).toEqual(['courier', 'inkwell', 'pond', 'seed']);
    expect(data.species.find(({ species }: { species: string }) => species === 'pond')).toMatchObject({
      own: true,
      kingdom: 'applications',
      tags: ['water'],
      memory_bytes: 128 * 2 ** 20,
      logo_url: null,
    });
    const inkwell = data.species.find(({ species }: { species: string }) => species === 'inkwell');
    expect(inkwell.logo_url).toBe('/api/v1/templates/inkwell/logo.svg');
    expect(data.families).toContainEqual(expect.objectContaining({ family: 'blog', count: 1 }));
    const neighbour = await service.addAccount();
    const theirs = (await neighbour.request('GET', '/catalog/shelf')).json.data.species;
    expect(theirs.map(({ species }: { species: string }) => species)).not.toContain('pond');
  });
});
