import { expect, it } from 'vitest';
import type { InstanceRule } from '../ingress/cluster-routes.ts';
import { ingressDocument } from './ingress-document.ts';

const rule = (instanceUid: string, overrides: Partial<InstanceRule> = {}): InstanceRule => ({
  ...{ instanceUid, name: 'web', component: 'main', port: 8080, host: `${instanceUid}.test` },
  ...{ path: '/', strip: false, tls: 'off' },
  ...overrides,
});
const ports = { httpPort: 80, httpsPort: 443 };

it('the document of the ingress depends on the routes alone, in any order, and has its own hash', () => {
  const document = ingressDocument([rule('a'), rule('b')], ports);
  expect(ingressDocument([rule('b'), rule('a')], ports)).toEqual(document);
  expect(document.text).toContain(document.revision);
  const others = [[rule('a')], [rule('a'), rule('b', { port: 1 })], [rule('a'), rule('b', { component: 'x' })]];
  for (const rules of others) expect(ingressDocument(rules, ports).revision).not.toBe(document.revision);
  expect(ingressDocument([rule('a'), rule('b')], { ...ports, httpPort: 81 }).revision).not.toBe(document.revision);
});

it('the document of the ingress has no admin API and names components by a domain that is never public', () => {
  const document = JSON.parse(ingressDocument([rule('shop', { path: '/x/', strip: true })], ports).text);
  expect(document.admin).toMatchObject({ disabled: true, config: { load_delay: '1s' } });
  const routes = JSON.stringify(document.apps.http.servers.http.routes);
  expect(routes).toContain('"dial":"main.shop.hortus.internal.:8080"');
  expect(routes).toContain('"strip_path_prefix":"/x"');
  expect(routes).toContain('"keep_alive":{"enabled":false');
});
