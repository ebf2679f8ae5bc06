import { describe, expect, it } from 'vitest';
import { formatFinding } from './source/finding.ts';
import { parse, parsedValue } from './source/parse.ts';
import { INKWELL, SEED } from './testing/inkwell.ts';
import { validate } from './validate.ts';

const codes = (text: string) => validate(text).findings.map(({ code, path }) => `${code} ${path}`);
const seedWith = (more: string) => codes(`${SEED}${more}\n`);

describe('validate', () => {
  it('accepts a valid template', () => {
    expect(validate(INKWELL).findings).toEqual([]);
    expect(validate(INKWELL).template?.slug).toBe('inkwell');
    expect(validate(SEED).findings).toEqual([]);
  });

  it('suggests the intended key at its position', () => {
    const [finding] = validate(`${SEED}enviroment: {A: b}\nhealthchek: {}\n`, 'seed.yaml').findings;
    expect(finding).toMatchObject({ code: 'unknown-key', path: 'enviroment', line: 8, column: 1, severity: 'error' });
    const second = validate(`${SEED}healthchek: {}\n`, 'seed.yaml').findings[0];
    expect(second && formatFinding(second)).toBe(
      'seed.yaml:8:1: error unknown-key: unknown key "healthchek" (healthchek); did you mean "healthcheck"?',
    );
  });

  it('reports errors of form and of meaning together', () => {
    const text = INKWELL.replace('port: 8080, host', 'port: "8080", host')
      .replace('dump_action: db-dump', 'dump_action: db-dumb')
      .replace('tls: auto', 'tls: sometimes')
      .replace('max: 80', 'max: 3');
    const found = validate(text).findings.map(({ code }) => code);
    expect(found).toContain('type');
    expect(found).toContain('value');
    expect(found).toContain('default');
    expect(validate(text).template).toBeUndefined();
  });

  it.each([
    ['slug', INKWELL.replace('slug: inkwell', 'slug: featured'), 'reserved slug', 'featured'],
    [
      'unknown reference',
      INKWELL.replace('${inputs.SITE_TITLE}', '${inputs.SITE_TITEL}'),
      'unknown-reference components.app.env.SITE_TITLE',
      '${inputs.SITE_TITEL}',
    ],
    [
      'unknown namespace',
      INKWELL.replace('${inputs.SITE_TITLE}', '${input.SITE_TITLE}'),
      'interpolation components.app.env.SITE_TITLE',
      '${input.SITE_TITLE}',
    ],
    [
      'unknown route field',
      INKWELL.replace('routes.web.url}"\n      D', 'routes.web.uri}"\n      D'),
      'unknown-reference components.app.env.BASE_URL',
      '${routes.web.uri}',
    ],
    ['params outside actions', INKWELL.replace('Open $', '${params.x} $'), 'unknown-reference notes', '${params.x}'],
    [
      'unknown param',
      INKWELL.replace('params.schema_only', 'params.only_schema'),
      'unknown-reference actions[0].command[3]',
      '${params.only_schema:+--',
    ],
    [
      'unknown dependency',
      INKWELL.replace('{db: healthy, m', '{dv: healthy, m'),
      'unknown-component components.app.depends_on.dv',
      'dv',
    ],
    [
      'dependency on the completion of a service',
      INKWELL.replace('{db: healthy, m', '{db: completed, m'),
      'condition components.app.depends_on.db',
      'completed',
    ],
    [
      'dependency on the health of a component without a health check',
      INKWELL.replace('healthcheck: {test: [pg_isready, -U, inkwell]}', 'init: true'),
      'no-healthcheck components.app.depends_on.db',
      'healthy',
    ],
    [
      'dependency cycle',
      INKWELL.replace('    env: {POSTGRES_USER', '    depends_on: {app: healthy}\n    env: {POSTGRES_USER'),
      'cycle components.app.depends_on.db',
      'healthy',
    ],
    ['var cycle', INKWELL.replace('vars:', 'vars:\n  a: "${vars.b}"\n  b: "${vars.a}"'), 'cycle vars.a', '"${vars.b}"'],
    [
      'route to an unknown component',
      INKWELL.replace('component: app, port', 'component: ap, port'),
      'unknown-component routes[0].component',
      'ap',
    ],
    [
      'duplicate route',
      INKWELL.replace('routes: [', 'routes: [{name: web, component: app, port: 1, host: a}, '),
      'duplicate routes[1].name',
      'web',
    ],
    [
      'unknown dump action',
      INKWELL.replace('dump_action: db-dump', 'dump_action: dump'),
      'unknown-action backup.dump_action',
      'dump',
    ],
    [
      'missing dump action',
      INKWELL.replace('  dump_action: db-dump\n', '').replace(/ {2}restore_command: .*\n/, ''),
      'no-dump backup.strategy',
      'both',
    ],
    [
      'dump that nothing restores',
      INKWELL.replace(/ {2}restore_command: .*\n/, ''),
      'no-restore backup.dump_action',
      'db-dump',
    ],
    [
      'restore into a new database without a restore command',
      INKWELL.replace(/ {2}restore_command: .*\n/, '  restore_into: empty\n').replace(
        'strategy: both',
        'strategy: volume',
      ),
      'no-restore backup.restore_into',
      'empty',
    ],
    [
      'component needed for a restore into the running application',
      INKWELL.replace(
        '  schedule_hint: daily',
        '  restore_into: running\n  restore_reason: it fills caches\n  restore_needs: [migrate]',
      ),
      'no-restore backup.restore_needs',
      '[migrate]',
    ],
    [
      'restore into the running application without a reason',
      INKWELL.replace('  schedule_hint: daily', '  restore_into: running'),
      'no-reason backup.restore_into',
      'running',
    ],
    [
      'reason for a restore into an empty database',
      INKWELL.replace('  schedule_hint: daily', '  restore_reason: it fills caches'),
      'no-restore backup.restore_reason',
      'it fills caches',
    ],
    [
      'unknown component needed for a restore',
      INKWELL.replace('  schedule_hint: daily', '  restore_into: empty\n  restore_needs: [migrat]'),
      'unknown-component backup.restore_needs[0]',
      'migrat',
    ],
    [
      'unknown backup volume',
      INKWELL.replace('[{name: uploads, critical: true}]\n  d', '[{name: upload}]\n  d'),
      'unknown-storage backup.volumes[0].name',
      'upload',
    ],
    [
      'two default variants',
      INKWELL.replace('tag: 4.2.1-alpine', 'tag: 4.2.1-alpine, default: true'),
      'default-variant image.variants',
      '[{id:',
    ],
    ['no default variant', INKWELL.replace(', default: true}', '}'), 'default-variant image.variants', '[{id:'],
    [
      'two names of one image',
      INKWELL.replace('tag: 4.2.1-alpine', 'tag: 4.2.1'),
      'duplicate image.variants[1].tag',
      '4.2.1',
    ],
    ['floating tag', INKWELL.replace('tag: "17.5"', 'tag: latest'), 'floating-tag components.db.image', 'latest'],
    ['incomplete version', INKWELL.replace('"17.5"', '"17"'), 'half-floating-tag components.db.image', '17'],
    [
      'incomplete version of a variant',
      INKWELL.replace('tag: 4.2.1-alpine', 'tag: 4.2-alpine'),
      'half-floating-tag image.variants[1].tag',
      '4.2-alpine',
    ],
    [
      'an image that only servers make',
      INKWELL.replace('docker.io/library/postgres', 'hortus.invalid/hello'),
      'reserved-image components.db.image',
      '{repository: hortus.invalid/hello',
    ],
    [
      'floating tag of an action',
      INKWELL.replace('type: exec\n', 'type: job\n    image: docker.io/library/postgres:latest\n'),
      'floating-tag actions[0].image',
      'latest',
    ],
    [
      'incomplete version of an action',
      INKWELL.replace('type: exec\n', 'type: job\n    image: docker.io/library/postgres:17-alpine\n'),
      'half-floating-tag actions[0].image',
      '17-alpine',
    ],
    [
      'same volume twice',
      INKWELL.replace('name: dbdata', 'name: uploads'),
      'duplicate components.db.storage[0].name',
      'uploads',
    ],
    [
      'enum without options',
      INKWELL.replace(', options: [{value: info}, {value: debug}]', ''),
      'no-options inputs.optional[1]',
      '{name:',
    ],
    [
      'default out of range',
      INKWELL.replace('default: info', 'default: loud'),
      'default inputs.optional[1].default',
      'loud',
    ],
    [
      'plain password',
      INKWELL.replace('SMTP_PASSWORD, type: password', 'SMTP_PASSWORD, type: string'),
      'plain-secret inputs.optional[3].type',
      'string',
    ],
    [
      'duplicate input',
      INKWELL.replace('name: ADMIN_EMAIL', 'name: SITE_TITLE'),
      'duplicate inputs.optional[2].name',
      'SITE_TITLE',
    ],
    [
      'secret named as input',
      INKWELL.replace('  SESSION_KEY: {', '  SITE_TITLE: {generate: hex}\n  SESSION_KEY: {'),
      'duplicate inputs.optional[0].name',
      'SITE_TITLE',
    ],
    ['unused secret', INKWELL.replace('secrets:', 'secrets:\n  IDLE: {generate: hex}'), 'unused secrets.IDLE', 'IDLE'],
    [
      'jwt without signer',
      INKWELL.replace('secrets:', 'secrets:\n  J: {generate: jwt, signed_with: MISSING}'),
      'unknown-secret secrets.J.signed_with',
      'MISSING',
    ],
    [
      'shell injection',
      INKWELL.replace(
        '[pg_dump, -U, inkwell, "${params.schema_only:+--schema-only}", inkwell]',
        '[sh, -c, "pg_dump ${params.schema_only}"]',
      ),
      'shell-injection actions[0].command[2]',
      '"pg_dump ${params.schema',
    ],
    [
      'unused param',
      INKWELL.replace(', "${params.schema_only:+--schema-only}"', ''),
      'unused actions[0].params[0]',
      '{name: schema_only',
    ],
    [
      'critical storage without backup',
      INKWELL.replace('strategy: both', 'strategy: none'),
      'no-backup components.app.storage[0]',
      '{name: uploads',
    ],
    [
      'unknown smoke route',
      INKWELL.replace('{route: web,', '{route: wbe,'),
      'unknown-route smoke[0].http.route',
      'wbe',
    ],
    [
      'the same mount twice',
      INKWELL.replace('mount_path: /etc/inkwell/site.ini', 'mount_path: /srv/uploads/'),
      'duplicate components.app.files[0].mount_path',
      '/srv/uploads/',
    ],
    ['built-in action', INKWELL.replace('slug: db-dump', 'slug: restart'), 'reserved actions[0].slug', 'restart'],
    ['shorthand beside components', `${INKWELL}env: {A: b}\n`, 'misplaced env', 'env'],
    [
      'a profile that declares inputs',
      INKWELL.replace('minimal: {comp', 'minimal: {inputs: {}, comp'),
      'profile profiles.minimal.inputs',
      'inputs',
    ],
    [
      'a profile with a wrong value',
      INKWELL.replace('memory: 256Mi', 'memory: lots'),
      'form profiles.minimal.components.app.resources.memory',
      'lots',
    ],
    [
      'a profile with more host access',
      INKWELL.replace('{memory: 256Mi}', '{memory: 256Mi}, network: host'),
      'permission profiles.minimal.components.app.network',
      'host',
    ],
  ])('finds: %s', (_, text, expected, place) => {
    expect(text).not.toBe(INKWELL);
    expect(codes(text)).toContain(expected);
    const found = validate(text).findings.find(({ code, path }) => `${code} ${path}` === expected);
    const line = text.split('\n')[(found?.line ?? 0) - 1] ?? '';
    expect(line.slice((found?.column ?? 0) - 1, (found?.column ?? 0) - 1 + place.length)).toBe(place);
  });

  it.each([
    ['network: host', 'permission network'],
    ['privileged: true', 'permission privileged'],
    ['pid: host', 'permission pid'],
    ['devices: [{path: /dev/dri}]', 'permission devices[0].path'],
    ['gpu: {}', 'permission gpu'],
    ['capabilities: {add: [SYS_ADMIN]}', 'permission capabilities.add[0]'],
    ['sysctls: {net.core.somaxconn: 1024}', 'permission sysctls.net.core.somaxconn'],
    ['ports: [{container_port: 53, host_port: 53, protocol: udp}]', 'permission ports[0].host_port'],
    ['confinement: {seccomp: unconfined}', 'permission confinement.seccomp'],
    [
      'storage: [{name: s, mount_path: /s, host_path: /var/run/docker.sock, read_only: true}]',
      'permission storage[0].host_path',
    ],
    ['storage: [{name: s, mount_path: /s, host_path: //.}]', 'permission storage[0].host_path'],
  ])('requires a permission for %s', (line, expected) => {
    expect(seedWith(line)).toEqual([expected]);
    const { suggestion = '' } = validate(`${SEED}${line}\n`).findings[0] ?? {};
    const declared = suggestion.replace('add ', '').replace('…', 'because');
    expect(seedWith(`${line}\npermissions: [${declared}]`)).toEqual([]);
  });

  it('names what only the operator can allow', () => {
    const message = (line: string) => validate(`${SEED}${line}\n`).findings[0]?.message;
    expect(message('privileged: true')).toContain('the operator of the server must allow');
    expect(message('capabilities: {add: [SYS_PTRACE]}')).toContain('the operator of the server must allow');
    expect(message('capabilities: {add: [NET_ADMIN]}')).not.toContain('refused');
  });

  it('warns of permissions that nothing uses', () => {
    expect(seedWith('permissions: [{kind: gpu, reason: no}]')).toEqual(['unused-permission permissions[0]']);
  });

  it('accepts permissions that only a profile uses, and requires those', () => {
    const profiles = 'profiles: {gpu: {gpu: {count: all}}, production: {resources: {cpu: "2"}}}';
    expect(seedWith(`${profiles}\npermissions: [{kind: gpu, reason: Faster answers.}]`)).toEqual([]);
    expect(seedWith(profiles)).toEqual(['permission profiles.gpu.gpu']);
  });

  it('explains that images are not built', () => {
    expect(validate(`${SEED}build: .\n`).findings[0]?.suggestion).toContain('not built');
  });

  it('accepts a template given as JSON', () => {
    expect(validate(parsedValue(parse(INKWELL).value)).template?.slug).toBe('inkwell');
  });
});
