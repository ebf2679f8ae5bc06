import { describe, expect, it } from 'vitest';
import { importCompose } from './import-compose.ts';
import { isOfThirdParty } from './third-parties.ts';

describe('isOfThirdParty', () => {
  it.each(['OPENAI_API_KEY', 'SMTP_PASSWORD', 'EMAIL_SMTP_PASSWORD', 'GOOGLE_CLIENT_SECRET', 'CF_API_TOKEN'])(
    'is true for %s',
    (name) => expect(isOfThirdParty(name)).toBe(true),
  );
  it.each(['POSTGRES_PASSWORD', 'JWT_SECRET', 'EMAIL_PASSWORD_RESET_SECRET', 'GITLAB_ROOT_PASSWORD', 'APP_KEY'])(
    'is false for %s',
    (name) => expect(isOfThirdParty(name)).toBe(false),
  );
});

describe('an imported credential of a third party', () => {
  const imported = (environment: string) =>
    importCompose(`services:\n  app:\n    image: app:1.0.0\n    ports: ["80:80"]\n    environment:\n${environment}`);

  it('is asked for, whether the file has a variable, a default or an example', () => {
    const { template } = imported(
      `      OPENAI_API_KEY: \${OPENAI_API_KEY}\n      SMTP_PASSWORD: \${SMTP_PASSWORD:-changeme}\n      STRIPE_API_KEY: sk-your-key-here\n`,
    );
    expect(template?.secrets).toBeUndefined();
    expect(template?.inputs?.optional).toEqual([
      { name: 'STRIPE_API_KEY', type: 'password' },
      { name: 'OPENAI_API_KEY', type: 'password' },
      { name: 'SMTP_PASSWORD', type: 'password' },
    ]);
    expect(template?.components?.app?.env).toMatchObject({ STRIPE_API_KEY: '${inputs.STRIPE_API_KEY}' });
  });

  it('stays beside generated secrets of the application', () => {
    const { template } = imported(`      JWT_SECRET: change-me-please\n      GITHUB_CLIENT_SECRET: replace-me\n`);
    expect(Object.keys(template?.secrets ?? {})).toEqual(['JWT_SECRET']);
    expect(template?.inputs?.optional?.map(({ name }) => name)).toEqual(['GITHUB_CLIENT_SECRET']);
  });
});
