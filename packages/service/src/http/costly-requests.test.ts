import { endpointRows } from '@hortus/contract/endpoints';
import { beforeAll, expect, it } from 'vitest';
import { onBothEngines } from '../testing/engines.ts';
import { expectRefusal } from '../testing/published-response.ts';
import { type RunningService, startApp } from '../testing/running-service.ts';

/** Requests that are small and made to cost much. How long each holds the event loop is measured by `bench/event-loop.ts`. */
const many = (count: number, each: (i: number) => string, between = '') =>
  Array.from({ length: count }, (_, i) => each(i)).join(between);
const template = (rest: string) =>
  `slug: costly\nname: C\nversion: 1.0.0\narchetype: worker\ntaxonomy: {kingdom: data, family: test}\nimage: {repository: a, tag: "1"}\n${rest}`;

onBothEngines((engine) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startApp(engine);
  });
  const sent = (path: string, body: unknown) => service.request('POST', path, { body });
  const draft = (source: string) => sent('/templates', { source });

  it('the error for 15,000 unknown fields names the first eight and counts the others', async () => {
    const raw = `{"name":"a","environment":"staging",${many(15_000, (i) => `"k${i}":1`, ',')}}`;
    const { status, json } = await service.request('POST', '/servers/register', { raw });
    expect(status).toBe(422);
    expect(json.error.details.problems).toHaveLength(8);
    expect(json.error.details.more_problems).toBe(14_992);
    expect(json.error.message).toMatch(
      /^k0: is not a known field\. Neither are: k1, .* 14992 more fields are not known\.$/,
    );
  });

  it('a deeply nested body is refused before validation', async () => {
    for (const raw of ['['.repeat(200_000), `{"spec":${'{"a":'.repeat(300)}1${'}'.repeat(300)}}`]) {
      const response = await service.request('POST', '/templates', { raw });
      expect(response.status).toBe(422);
      expectRefusal(response, 'VALIDATION_ERROR', 'body');
    }
  });

  it('an unauthenticated request may send only a few KB', async () => {
    const open = endpointRows.filter(([, row]) => row.permission === 'public' && row.method !== 'GET');
    expect(open.map(([name]) => name)).toContain('account.login');
    for (const [, row] of open) {
      const raw = JSON.stringify({ email: 'x'.repeat(9_000) });
      const response = await service.request(row.method, row.path, { raw, key: null });
      expect(response.status).toBe(422);
      expect(response.json.error.message).toBe('body: must not be larger than 8192 bytes.');
    }
  });

  it.for(['/templates/import', '/drafts/check'])(
    'a Compose file with thousands of services does not block the event loop: %s',
    async (path) => {
      const responded: string[] = [];
      const compose = `services:\n${many(20_000, (i) => ` s${i}: {image: a}\n`)}`;
      const costly = sent(path, { compose }).then((response) => {
        responded.push('import');
        return response;
      });
      await service.request('GET', '/templates?per_page=1');
      await service.request('GET', '/health').then(() => responded.push('health'));
      const { status, json } = await costly;
      expect(status).toBe(422);
      expect(json.error.message).toContain('at most 200 services');
      expect(responded).toEqual(['health', 'import']);
    },
  );

  it('a template with 10,000 unknown keys is refused with a bounded list of them', async () => {
    const { status, json } = await draft(template(many(10_000, (i) => `k${i}: 1\n`)));
    expect(status).toBe(422);
    expect(json.error.details.findings.length).toBeLessThanOrEqual(200);
  });

  it('a deeply nested or self-referencing template is refused', async () => {
    expectRefusal(await draft(template(`x-a: ${'['.repeat(10_000)}`)), 'VALIDATION_ERROR', 'source');
    const bomb = many(20, (i) => (i === 0 ? 'x-0: &l0 [a, a]\n' : `x-${i}: &l${i} [${`*l${i - 1}, `.repeat(9)}]\n`));
    expectRefusal(await draft(template(bomb)), 'VALIDATION_ERROR', 'source');
  });

  it('examining a template that was made to cost much ends with a bounded list of findings', async () => {
    const check = async (source: string) => {
      const { status, json } = await sent('/drafts/check', { source });
      expect(status).toBe(200);
      expect(json.data.valid).toBe(false);
      expect(json.data.findings.length).toBeLessThanOrEqual(200);
    };
    await check(template(many(10_000, (i) => `k${i}: 1\n`)));
    await check(template(`x-a: ${'['.repeat(10_000)}`));
    await check(
      template(many(20, (i) => (i === 0 ? 'x-0: &l0 [a]\n' : `x-${i}: &l${i} [${`*l${i - 1}, `.repeat(9)}]\n`))),
    );
    const raw = `{"source":${'['.repeat(200_000)}`;
    expectRefusal(await service.request('POST', '/drafts/check', { raw }), 'VALIDATION_ERROR', 'body');
    const long = await sent('/drafts/check', { source: 'a'.repeat(500_001) });
    expectRefusal(long, 'VALIDATION_ERROR', 'source');
  });

  it('a pattern with catastrophic backtracking does not hang the request', async () => {
    const input = `inputs: {optional: [{name: A, type: string, pattern: "a*a*a*a*b", default: ${'a'.repeat(256)}}]}\n`;
    const { status, json } = await draft(template(input));
    expect(status).toBe(201);
    expect(json.data.findings.map(({ code }: { code: string }) => code)).toContain('default');
  });

  it('a chain of hashes, and hashes of everything, are refused when a template is validated', async () => {
    const chained = await draft(template(`env: {A: "\${template.slug${' | bcrypt'.repeat(40)}}"}\n`));
    expect(JSON.stringify(chained.json.data.findings)).toContain('hashed more than once');
    const all = await draft(template(`env:\n${many(9, (i) => `  K${i}: "\${template.slug | bcrypt}"\n`)}`));
    expect(JSON.stringify(all.json.data.findings)).toContain('at most 8 values with bcrypt');
  });

  it('more than four RSA key pairs in one template are refused when it is validated', async () => {
    const pairs = (count: number) =>
      template(`secrets:\n${many(count, (i) => `  K${i}: {generate: keypair, algorithm: rsa, bits: 4096}\n`)}`);
    const rsa = async (count: number) => JSON.stringify((await draft(pairs(count))).json).includes('RSA key pairs');
    expect([await rsa(4), await rsa(5)]).toEqual([false, true]);
  });

  it('a size that is a long text with many references is refused', async () => {
    const size = draft(template(`resources: {memory: "${'${'.repeat(30_000)}"}\n`));
    expect(JSON.stringify((await size).json)).not.toContain('too_costly');
  });

  it('an import of 7.6 MB with 400,000 values is refused before it is parsed', async () => {
    const vars = `{${many(400_000, (i) => `"k${i}":"value"`, ',')}}`;
    const raw = `{"server_id":"srv_x","bundle":{"template":{"spec":{"vars":${vars}}}}}`;
    expectRefusal(await service.request('POST', '/definitions/import', { raw }), 'VALIDATION_ERROR', 'body');
  });

  it('a report of 9,000 lines is parsed in a worker and accepted', async () => {
    const line = { at: 1, level: 'info', message: 'x', step: 'y', unknown: 1 };
    const logs = Array.from({ length: 9_000 }, () => line);
    const response = await sent('/deploy/report', { deployment_id: 'dep_unknown', status: 'failed', logs });
    expect(response.status).toBe(404);
    const wrong = await sent('/deploy/report', { deployment_id: 'dep_unknown', status: 'gone', logs });
    expectRefusal(wrong, 'VALIDATION_ERROR', 'status');
  });
});
