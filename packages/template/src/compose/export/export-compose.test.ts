import type { Template } from '@hortus/contract/template/schema';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { canonical } from '../../canonical/canonical.ts';
import { INKWELL } from '../../testing/inkwell.ts';
import { validate } from '../../validate.ts';
import { importCompose } from '../import/import-compose.ts';
import { SHOP } from '../shop.fixture.ts';
import { type ExportOptions, exportCompose } from './export-compose.ts';

async function exported(template: Template | undefined, options: ExportOptions) {
  if (template === undefined) throw new Error('There is no template.');
  const result = await exportCompose(canonical(template), options);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return { ...result, file: parse(result.text) };
}

describe('exporting a template as a Compose file', () => {
  it('writes ranges of ports as ranges', async () => {
    const text =
      'services:\n  app:\n    image: app:1.0.0\n    ports: ["52000-52100:42000-42100/udp", "127.0.0.1:7000-7001:7000-7001"]\n    expose: ["9000-9010"]\n';
    const { file } = await exported(importCompose(text).template, { inputs: {}, secrets: {} });
    expect(file.services.app).toMatchObject({
      ports: ['127.0.0.1:7000-7001:7000-7001', '52000-52100:42000-42100/udp'],
      expose: ['9000-9010'],
    });
  });

  it('keeps the meaning of the imported file', async () => {
    const { template } = importCompose(SHOP);
    const { file, generated, dropped } = await exported(template, {
      inputs: { WEB_HOSTNAME: 'shop.example.org', LICENSE: 'a $b', FILE_SITE_CONF: 'x=${y}', SMTP_HOST: 'mail' },
      secrets: { POSTGRES_PASSWORD: 'p$$w' },
    });
    expect(generated).toEqual(['SESSION_SECRET']);
    expect(dropped).toEqual([]);
    expect(Object.keys(file.services)).toEqual(['shop_db', 'migrate', 'web']);
    expect(file.services.web).toMatchObject({
      image: 'registry.example.org/shop/web:2.4.1',
      command: ['node', 'server.js', '--title', 'Seeds & more', '--port', '3000'],
      environment: {
        DATABASE_URL: 'postgres://shop:p$$$$w@shop_db:5432/shop',
        LICENSE: 'a $$b',
        PRICE: '$$5',
        GREETING: 'hello',
        SMTP_HOST: 'mail',
        SMTP_PASSWORD: '',
      },
      ports: ['9443:9000/udp', '3000:3000'],
      expose: ['3001'],
      depends_on: {
        shop_db: { condition: 'service_healthy' },
        migrate: { condition: 'service_completed_successfully' },
      },
      volumes: [
        { type: 'volume', source: 'uploads', target: '/srv/uploads' },
        { type: 'volume', source: 'pages', target: '/srv/pages', read_only: true },
      ],
      tmpfs: ['/tmp:size=64m'],
      networks: { default: { aliases: ['shop_web'] } },
      deploy: { resources: { limits: { cpus: '0.5', memory: '512m' } } },
    });
    expect(file.services.web.environment).not.toHaveProperty('PASSED_ON');
    const [config] = file.services.web.configs;
    expect(config).toMatchObject({ target: '/etc/site.conf' });
    expect(file.configs[config.source].content).toBe('x=$${y}');
    expect(file.services.shop_db.healthcheck.test).toEqual(['CMD-SHELL', 'pg_isready -U $$POSTGRES_USER']);
    expect(file.volumes).toEqual({ rows: {}, uploads: {}, pages: {} });
  });

  it('gives the same components when imported again', async () => {
    const first = importCompose(SHOP).template;
    const inputs = { WEB_HOSTNAME: 'a.example.org', LICENSE: 'x', FILE_SITE_CONF: 'c' };
    const { text } = await exported(first, { inputs });
    const second = importCompose(text).template;
    expect(Object.keys(second?.components ?? {}).sort()).toEqual(Object.keys(first?.components ?? {}).sort());
    for (const key of ['command', 'depends_on', 'healthcheck', 'tmpfs'] as const) {
      expect(second?.components?.web?.[key], key).toEqual(first?.components?.web?.[key]);
    }
    // With the limits that it had by default.
    expect(second?.components?.web?.resources).toEqual({ pids: 4096, ...first?.components?.web?.resources });
  });

  it('uses the given profile and variant, and keeps the names that components refer to', async () => {
    const { template } = validate(INKWELL);
    const inputs = { WEB_HOSTNAME: 'blog.example.org', SMTP_PASSWORD: 'hunter2hunter2' };
    const { file, dropped } = await exported(template, { inputs, profile: 'minimal', variant: 'alpine' });
    expect(file.services.app.image).toContain('alpine');
    expect(file.services.app.environment.BASE_URL).toBe('https://blog.example.org');
    expect(file.services.db.networks.default.aliases).toEqual(['inkwell-db']);
    expect(dropped.join()).toContain('wget');
  });

  it('is refused with missing or unknown inputs', async () => {
    const { template } = importCompose(SHOP);
    const spec = canonical(template as Template);
    const missing = await exportCompose(spec, { inputs: {} });
    expect(missing.ok || missing.problems.map(({ field }) => field)).toContain('inputs.LICENSE');
    const unknown = await exportCompose(spec, { inputs: { UNKNOWN: 'x' } });
    expect(unknown.ok || unknown.problems.map(({ field }) => field)).toContain('inputs.UNKNOWN');
  });
});
