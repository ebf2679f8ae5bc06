import type { Tenant } from '@hortus/contract/resources/tenants';
import type { Tone } from '../../parts/status.tsx';

export const tenantTones: Readonly<Record<Tenant['status'], Tone>> = {
  pending: 'wait',
  active: 'ok',
  suspended: 'warn',
  migrating: 'now',
  deleted: 'idle',
};
