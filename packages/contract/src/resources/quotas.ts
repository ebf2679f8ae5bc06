import Type, { type Static } from 'typebox';

/** What an account may have a limited number, or a limited amount, of. */
export const quotaNames = ['servers', 'definitions', 'keys', 'webhooks', 'templates', 'output_bytes'] as const;
export type QuotaName = (typeof quotaNames)[number];

const about: Record<QuotaName, string> = {
  servers: 'Registered servers.',
  definitions: 'Definitions that are not archived.',
  keys: 'API keys that are neither revoked nor expired.',
  webhooks: 'Webhook endpoints.',
  templates: 'Private templates, every version counted.',
  output_bytes: 'Bytes of kept outputs and deployment logs. When they are full, the oldest are dropped.',
};

const quota = (description: string) =>
  Type.Object({ used: Type.Integer({ minimum: 0 }), limit: Type.Integer({ minimum: 0 }) }, { description });

export const Quotas = Type.Object(
  Object.fromEntries(quotaNames.map((name) => [name, quota(about[name])])) as Record<
    QuotaName,
    ReturnType<typeof quota>
  >,
  { title: 'Quotas', description: 'What the plan of the account allows, and how much of it is used.' },
);
export type Quotas = Static<typeof Quotas>;
