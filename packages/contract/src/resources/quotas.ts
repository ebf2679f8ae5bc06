import Type, { type Static } from 'typebox';

/** Quotas of an account: numbers of records, or amounts. */
export const quotaNames = [
  'servers',
  'definitions',
  'keys',
  'webhooks',
  'templates',
  'connections',
  'output_bytes',
] as const;
export type QuotaName = (typeof quotaNames)[number];

const about: Record<QuotaName, string> = {
  servers: 'Registered servers.',
  definitions: 'Definitions that are not archived.',
  keys: 'API keys that are neither revoked nor expired.',
  webhooks: 'Webhook endpoints.',
  templates: 'Private templates, every version counted.',
  connections: 'Saved connections.',
  output_bytes: 'Bytes of stored outputs and deployment logs. When the quota is full, the oldest are deleted.',
};

const quota = (description: string) =>
  Type.Object({ used: Type.Integer({ minimum: 0 }), limit: Type.Integer({ minimum: 0 }) }, { description });

export const Quotas = Type.Object(
  Object.fromEntries(quotaNames.map((name) => [name, quota(about[name])])) as Record<
    QuotaName,
    ReturnType<typeof quota>
  >,
  { title: 'Quotas', description: 'Limits of the plan of the account, and their usage.' },
);
export type Quotas = Static<typeof Quotas>;
