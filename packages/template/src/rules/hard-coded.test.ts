import { describe, expect, it } from 'vitest';
import { SEED } from '../testing/inkwell.ts';
import { marked } from '../testing/marked.ts';
import { validate } from '../validate.ts';

const about = (text: string) => validate(text).findings.filter(({ code }) => code === 'hard-coded-secret');

describe('a secret written into a template', () => {
  it.each([
    ['an environment variable', 'env: {A: b, POSTGRES_PASSWORD: ▸postgres}'],
    ['a quoted environment variable', 'env:\n  ADMIN_TOKEN: ▸"correct horse"'],
    ['an environment variable in camel case', 'env: {adminPassword: ▸hunter2}'],
    [
      'a known default password',
      'inputs: {optional: [{name: PW, type: password}]}\nenv: {PASSWORD: ▸"${inputs.PW:-changeme}"}',
    ],
    ['an address', 'env: {DATABASE_URL: "postgres://app▸:hunter2@db:5432/app"}'],
    ['an address in a var', 'vars: {dsn: "amqp://guest▸:guest@mq"}\nenv: {URL: "${vars.dsn}"}'],
    [
      'a key in a file',
      'files:\n  - mount_path: /k\n    content: |\n      key:\n      ▸-----BEGIN RSA PRIVATE KEY-----\n',
    ],
    ['a token', `env: {GITHUB: ▸ghp_${'a1'.repeat(18)}}`],
    [
      'the environment of an action',
      'actions: [{name: A, slug: a, type: exec, command: [a], env: {PGPASSWORD: a, DB_PASSWORD: ▸x}}]',
    ],
  ])('is reported: %s', (_, lines) => {
    const { text, at } = marked(`${SEED}${lines}\n`);
    expect(about(text)).toMatchObject([{ ...at, severity: 'warning' }]);
  });

  it.each([
    'env: {MYSQL_ALLOW_EMPTY_PASSWORD: "yes"}',
    'env: {PASSWORD_FILE: /run/secrets/password, DB_PASSWORD__FILE: /run/x}',
    'env: {TOKEN_TTL: 3600, PASSWORD_MIN_LENGTH: 8, TOKEN_HEADER: X-Token, SECRET_NAME: tls}',
    'env: {DISABLE_PASSWORD_LOGIN: whatever, ADMIN_PASSWORD: ""}',
    'secrets: {P: {generate: password}}\nenv: {PASSWORD: "${secrets.P}", URL: "redis://:${secrets.P | urlencode}@cache"}',
    'secrets: {P: {generate: password}}\nenv: {PASSWORD: "argon:${secrets.P}"}',
    'env: {URL: "http://example.org:8080/a@b", KEYBOARD: de, MONKEY: banana, COMPASS: north}',
  ])('is not reported: %s', (lines) => {
    expect(about(`${SEED}${lines}\n`)).toEqual([]);
  });
});
