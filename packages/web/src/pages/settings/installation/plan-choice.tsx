import type { ListedAccount } from '@hortus/contract/resources/installation';
import { useOrder, useRenew } from '../../../api/query.ts';
import { toast, toastProblem } from '../../../parts/toast.tsx';
import { type Plan, planChoices } from './plans.ts';

/** The plan of an account, changed where it is shown. */
export function PlanChoice({ account: { id, name, plan } }: { account: ListedAccount }) {
  const order = useOrder('accounts.setPlan');
  const renew = useRenew();
  const choose = (chosen: Plan) =>
    order.mutateAsync({ params: { id }, body: { plan: chosen } }).then(() => {
      renew('accounts.');
      toast(`${name} has the plan ${chosen} from its next request on.`);
    }, toastProblem('The plan stays.'));
  return (
    <select
      className="input filter"
      aria-label={`Plan of ${name}`}
      disabled={order.isPending}
      value={plan}
      onChange={(event) => void choose(event.target.value as Plan)}
    >
      {planChoices.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}
