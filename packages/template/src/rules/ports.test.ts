import { describe, expect, it } from 'vitest';
import { SEED } from '../testing/inkwell.ts';
import { marked } from '../testing/marked.ts';
import { validate } from '../validate.ts';

const about = (text: string) => validate(text).findings.filter(({ code }) => /unknown-port|duplicate/.test(code));
const route = (port: string) => `routes: [{name: web, port: ${port}, host: a.example.org}]`;
const PERMITTED = 'permissions: [{kind: host_port, reason: names are looked up here}]';

describe('a port without a listener', () => {
  it.each([
    ['a route beside the listed ports', `ports: [{container_port: 80}]\n${route('▸8080')}`],
    ['a route beside the probed port', `healthcheck: {tcp: {port: 80}}\n${route('▸8080')}`],
    ['a probe beside the listed ports', 'ports: [{container_port: 80}]\nhealthcheck: {http: {port: ▸8080}}'],
    ['a smoke test', 'ports: [{container_port: 80}]\nsmoke: [{tcp: {port: ▸81}}]'],
    [
      'an HTTP action',
      'ports: [{container_port: 80}]\nactions: [{name: A, slug: a, type: http, http: {port: ▸81, path: /flush}}]',
    ],
  ])('is reported: %s', (_, lines) => {
    const { text, at } = marked(`${SEED}${lines}\n`);
    expect(about(text)).toMatchObject([{ ...at, code: 'unknown-port', severity: 'warning' }]);
  });

  it('is reported with the component that listens on it', () => {
    const text = `${SEED}components:
  app: {ports: [{container_port: 80}], depends_on: {api: started}}
  api: {ports: [{container_port: 9000}]}
routes: [{name: web, component: app, port: 9000, host: a.example.org}]
`;
    expect(about(text)).toMatchObject([
      { message: 'app listens on 80, not on 9000', suggestion: 'did you mean api?', line: 11, column: 44 },
    ]);
  });

  it.each([
    ['if the component declares no port', route('8080')],
    ['that is listed', `ports: [{container_port: 8080}]\n${route('8080')}`],
    ['of a listed range', `ports: [{container_port: 8000, last_port: 8100}]\n${route('8080')}`],
    ['that is probed', `healthcheck: {http: {port: 8080}}\n${route('8080')}`],
    ['that occurs in its environment', `healthcheck: {tcp: {port: 9000}}\nenv: {LISTEN: ":8080"}\n${route('8080')}`],
    [
      'beside a published one',
      `ports: [{container_port: 22, host_port: 2222}]\n${PERMITTED}\nhealthcheck: {http: {port: 3000}}\n${route('3000')}`,
    ],
  ])('is not reported %s', (_, lines) => {
    expect(about(`${SEED}${lines}\n`)).toEqual([]);
  });
});

describe('a host port', () => {
  const two = (first: string, second: string) => `${SEED}${PERMITTED}
components:
  a: {depends_on: {b: started}, ports: [{container_port: 53, host_port: ${first}}]}
  b: {ports: [{container_port: 53, host_port: ${second}}]}
`;
  it.each([
    ['53', '▸53'],
    ['53, host_ip: 127.0.0.1', '▸53'],
    ['53', '▸50, last_port: 60'],
    ['50, last_port: 60', '▸53'],
    ['53, host_ip: 127.0.0.1', '▸53, host_ip: 127.0.0.1'],
  ])('cannot be used twice: %s and %s', (first, second) => {
    const { text, at } = marked(two(first, second));
    expect(about(text)).toMatchObject([{ ...at, code: 'duplicate', severity: 'error' }]);
  });

  it.each([
    ['53', '54'],
    ['54', '50, last_port: 56'],
    ['53', '53, protocol: udp'],
    ['53, host_ip: 127.0.0.1', '53, host_ip: 127.0.0.2'],
  ])('does not conflict: %s and %s', (first, second) => {
    expect(about(two(first, second))).toEqual([]);
  });
});
