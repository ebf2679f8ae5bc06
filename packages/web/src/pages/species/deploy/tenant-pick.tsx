import type { Tenant } from '@hortus/contract/resources/tenants';
import { useApi, useApiWhen } from '../../../api/query.ts';
import { SelectField } from '../../../parts/select-field.tsx';

const NONE = { value: '', label: 'None' };

/** The tenant that a new instance belongs to; nothing is shown for an account without tenants. */
export function TenantPick({
  value,
  problem,
  onChange,
}: {
  value: string;
  problem: string | undefined;
  onChange: (tenant: Tenant | undefined) => void;
}) {
  const hasTenants = Boolean(useApi('overview.read').data?.data.counts.tenants);
  const tenants = useApiWhen(hasTenants, 'tenants.list', { query: { per_page: 100 } }).data?.data ?? [];
  if (!hasTenants) return null;
  return (
    <SelectField
      label="Tenant"
      value={value}
      choices={[NONE, ...tenants.map(({ id, name }) => ({ value: id, label: name }))]}
      problem={problem}
      onChange={(chosen) => onChange(tenants.find(({ id }) => id === chosen))}
    />
  );
}
