import { type QuotaName, quotaNames } from '@hortus/contract/resources/quotas';
import { plans } from '@hortus/contract/resources/sign-in';
import type { Plan } from '../identity/principal.ts';

type Limits = Readonly<Record<QuotaName, number>>;
export type PlanLimits = Readonly<Record<Plan, Limits>>;

const MIB = 2 ** 20;

/** Sufficient for each plan, and small enough that one account cannot fill the disk. */
export const defaultQuotas: PlanLimits = {
  free: {
    servers: 5,
    definitions: 100,
    keys: 50,
    webhooks: 20,
    templates: 50,
    connections: 50,
    output_bytes: 64 * MIB,
  },
  pro: {
    servers: 200,
    definitions: 5_000,
    keys: 500,
    webhooks: 100,
    templates: 500,
    connections: 500,
    output_bytes: 1_024 * MIB,
  },
  enterprise: {
    servers: 10_000,
    definitions: 100_000,
    keys: 5_000,
    webhooks: 1_000,
    templates: 5_000,
    connections: 5_000,
    output_bytes: 10_240 * MIB,
  },
};

/**
 * Parses `free.servers=3,pro.definitions=100`; omitted parts keep their defaults. Throws an error that describes valid
 * values.
 */
export function readQuotas(text: string): PlanLimits {
  const found: Record<Plan, Record<QuotaName, number>> = structuredClone(defaultQuotas);
  for (const part of text.split(',')) {
    const [, plan = '', name = '', limit = ''] = /^\s*([a-z]+)\.([a-z_]+)\s*=\s*(\d{1,15})\s*$/.exec(part) ?? [];
    if (!isPlan(plan) || !isQuota(name))
      throw new Error(
        `must look like free.servers=3,pro.definitions=100; plans are ${plans.join(', ')}, quotas ${quotaNames.join(', ')}.`,
      );
    found[plan][name] = Number(limit);
  }
  return found;
}

export const showQuotas = (limits: PlanLimits): string =>
  plans.flatMap((plan) => quotaNames.map((name) => `${plan}.${name}=${limits[plan][name]}`)).join(',');

const isPlan = (text: string): text is Plan => (plans as readonly string[]).includes(text);
const isQuota = (text: string): text is QuotaName => (quotaNames as readonly string[]).includes(text);
