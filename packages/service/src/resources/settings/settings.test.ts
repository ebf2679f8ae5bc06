import { expect, it } from 'vitest';
import { describeConfig, readConfig } from '../../config/config.ts';
import { Pages } from '../../storage/page.ts';
import { settingRoutes } from './routes.ts';

it('every effective setting is shown, and of secrets only whether they are set', async () => {
  const secret = `hk_live_${'s'.repeat(43)}`;
  const env = { HORTUS_PORT: '9000', HORTUS_ADMIN_KEY: secret, HORTUS_MASTER_KEY: secret };
  const { 'settings.list': list } = settingRoutes(describeConfig(readConfig(env, '/nowhere')), new Pages());
  const ask = async (page: number, per_page: number) =>
    (await list({ query: { page, per_page } } as Parameters<typeof list>[0])) as {
      data: { name: string; value: string }[];
      pagination: object;
    };
  const all = await ask(1, 100);
  expect(all.data).toContainEqual({ name: 'HORTUS_PORT', value: '9000' });
  expect(all.data).toContainEqual({ name: 'HORTUS_ADMIN_KEY', value: '(set, not shown)' });
  expect(all.data).toContainEqual({ name: 'HORTUS_ADMIN_PASSWORD', value: '(not set)' });
  expect(JSON.stringify(all)).not.toContain(secret);
  const second = await ask(2, 4);
  expect(second.data).toEqual(all.data.slice(4, 8));
  expect(second.pagination).toMatchObject({ total: all.data.length });
});
