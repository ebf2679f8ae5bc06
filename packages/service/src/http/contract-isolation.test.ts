import type { Endpoint } from '@hortus/contract/endpoint';
import { type EndpointName, endpointRows } from '@hortus/contract/endpoints';
import { idPrefixes } from '@hortus/contract/records/names';
import { beforeAll, expect, it } from 'vitest';
import { onBothEngines } from '../testing/engines.ts';
import { goodRequest } from '../testing/good-requests.ts';
import { expectPublished } from '../testing/published-response.ts';
import { type Caller, type RunningService, startApp } from '../testing/running-service.ts';

/** Every row that reads, asked with the ids of another account wherever it takes a name: nothing of the other comes back. */
const reading = endpointRows.filter(([, row]) => row.method === 'GET' && !row.file);

const anyId = new RegExp(`\\b(?:${Object.values(idPrefixes).join('|')})_[0-9a-z]{26}\\b`, 'g');
const idsIn = (json: unknown): string[] => JSON.stringify(json)?.match(anyId) ?? [];
const kindOf = (id: string) => id.slice(0, 3);

const AT_ONCE = 16;

onBothEngines((engine) => {
  let service: RunningService;
  let neighbour: Caller;
  /** Everything that the first account was told the id of. */
  const foreign = new Set<string>();
  /** One of each kind is enough to ask with. */
  let samples: string[];

  beforeAll(async () => {
    service = await startApp(engine);
    for (const [name, row] of endpointRows) {
      if (row.file) continue;
      const { method, path, options } = await goodRequest(name, service);
      for (const id of idsIn((await service.request(method, path, options)).json)) foreign.add(id);
    }
    neighbour = await service.addAccount();
    // The catalog and approved recipes are public; an account's own templates are not.
    for (const path of ['/recipes?per_page=100', '/templates?versions=all&per_page=100']) {
      const { json: shared } = await service.addAccount().then((third) => third.request('GET', path));
      for (const id of idsIn(shared)) foreign.delete(id);
    }
    samples = [...Map.groupBy(foreign, kindOf).values()].flatMap((ids) => ids.slice(-1));
  });

  async function expectNothingForeign(name: EndpointName, row: Endpoint, path: string): Promise<void> {
    const response = expectPublished(await neighbour.request('GET', path), row);
    const reported = idsIn(response.json).filter((id) => foreign.has(id));
    expect(reported, `${name}: GET ${path} answered ${response.status}`).toEqual([]);
    expect([200, 403, 404, 422], path).toContain(response.status);
  }

  it.each(reading)('%s reveals nothing about another account, whatever the parameters', async (name, row) => {
    expect(samples.length).toBeGreaterThan(8);
    const { path, params, pathWith } = await goodRequest(name, neighbour);
    const paths = [path];
    for (const id of samples) {
      for (const param of Object.keys(params)) paths.push(pathWith({ [param]: id }));
      for (const [field, schema] of Object.entries(row.query.properties as Record<string, { type?: string }>)) {
        if (schema.type !== 'string') continue;
        const query = new URLSearchParams(path.split('?')[1]);
        query.set(field, id);
        paths.push(`${path.split('?')[0]}?${query}`);
      }
    }
    // Fewer at once than the streams that a server may have open.
    for (let from = 0; from < paths.length; from += AT_ONCE)
      await Promise.all(paths.slice(from, from + AT_ONCE).map((asked) => expectNothingForeign(name, row, asked)));
  });
});
