import { expect, it } from 'vitest';
import { importCompose } from './import-compose.ts';

const KEY = 'base64:4pB1oGk0iTQ0dVbTTrkqzVJ9V1Y3m1tVbq8mJx0uJZs=';

const imported = (value: string) =>
  importCompose(`services:\n  app:\n    image: app:1.0.0\n    environment:\n      APP_KEY: ${value}\n`).template;

it.each([
  ['a value', KEY],
  ['a default', `\${APP_KEY:-${KEY}}`],
  ['a variable without a default', '${APP_KEY}'],
])('a key keeps the mark of its encoding when the file has %s', (_, value) => {
  const template = imported(value);
  expect(template?.components?.app?.env).toEqual({ APP_KEY: 'base64:${secrets.APP_KEY}' });
  expect(template?.secrets).toEqual({ APP_KEY: { generate: 'base64', length: expect.any(Number), unit: 'bytes' } });
});

it('a generated key has as many bytes as the one of the file', () => {
  expect(imported(KEY)?.secrets?.APP_KEY).toEqual({ generate: 'base64', length: 32, unit: 'bytes' });
});

it('a password with a colon is generated as a whole', () => {
  const env = 'services:\n  app:\n    image: app:1.0.0\n    environment:\n      DB_PASSWORD: user:short\n';
  expect(importCompose(env).template?.components?.app?.env).toEqual({ DB_PASSWORD: '${secrets.DB_PASSWORD}' });
});
