import type { Template } from '@hortus/contract/template/schema';
import { expect, it } from 'vitest';
import { canonical } from '../canonical/canonical.ts';
import { parse } from '../source/parse.ts';
import { INKWELL, SEED } from '../testing/inkwell.ts';
import { appHosts, missingHosts } from './app-hosts.ts';
import { checkInputs } from './inputs.ts';

const spec = (text: string) => canonical(parse(text).value as Template);
const inkwell = spec(INKWELL);
const bucket = spec(`${SEED}
inputs:
  required:
    - {name: CONSOLE, type: domain}
    - {name: API, type: domain}
    - {name: MAIL, type: domain}
    - {name: TEAM, type: domain, pattern: ".*[.]example[.]org"}
    - {name: EXTRA, type: domain, when: {MODE: both}}
  optional: [{name: MODE, type: enum, default: one, options: [{value: one}, {value: both}]}]
routes:
  - {name: console, component: main, port: 1, host: "\${inputs.CONSOLE}", path: /, tls: auto}
  - {name: files, component: main, port: 2, host: "\${inputs.CONSOLE}", path: /files, tls: auto}
  - {name: api, component: main, port: 3, host: "\${ inputs.API }", path: /, tls: auto, primary: true}
  - {name: mail, component: main, port: 4, host: "mail.\${inputs.MAIL}", path: /, tls: auto}
  - {name: team, component: main, port: 5, host: "\${inputs.TEAM}", path: /, tls: auto}
  - {name: extra, component: main, port: 6, host: "\${inputs.EXTRA}", path: /, tls: auto}
`);
const chosen = (of: typeof inkwell, overrides: object, uid = 'blog') =>
  appHosts(missingHosts(of, overrides), uid, 'localhost');

it('the host of the primary route is the uid in the domain', () => {
  expect(chosen(inkwell, {})).toEqual({ WEB_HOSTNAME: 'blog.localhost' });
  expect(chosen(inkwell, { WEB_HOSTNAME: null })).toEqual({ WEB_HOSTNAME: 'blog.localhost' });
  expect(chosen(inkwell, { WEB_HOSTNAME: 'blog.example.org' })).toEqual({});
});

it('further routes have hosts of their own; inputs with a pattern, or only part of a host, are left to the user', () => {
  expect(chosen(bucket, {})).toEqual({ API: 'blog.localhost', CONSOLE: 'blog-console.localhost' });
  expect(chosen(bucket, { API: 's3.example.org' })).toEqual({ CONSOLE: 'blog-console.localhost' });
});

it('an input whose condition does not hold is not filled', () => {
  expect(chosen(bucket, { MODE: 'both' })).toHaveProperty('EXTRA', 'blog-extra.localhost');
});

it.each(['Blog_1', 'x_', 'a'.repeat(63), `${'a'.repeat(62)}-b`])('the host for the uid %s is a valid domain', (uid) => {
  const values = chosen(inkwell, {}, uid);
  expect(checkInputs(inkwell, values, { mode: 'create' })).toEqual({ ok: true, values, removed: [] });
  const all = { ...chosen(bucket, {}, uid), MAIL: 'a.example.org', TEAM: 'a.example.org' };
  expect(checkInputs(bucket, all, { mode: 'create' })).toMatchObject({ ok: true });
});
