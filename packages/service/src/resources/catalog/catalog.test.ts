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
});
