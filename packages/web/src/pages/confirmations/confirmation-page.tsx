import type { Confirmation } from '@hortus/contract/resources/confirmations';
import { Link, useParams } from '@tanstack/react-router';
import { Fragment, type ReactNode, useState } from 'react';
import { useApi, useOrder } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDanger } from '../../parts/confirm-danger.tsx';
import { ExpiryTime } from '../../parts/expiry-time.tsx';
import { RecordPage } from '../../parts/record-page.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { toast, toastProblem } from '../../parts/toast.tsx';
import { Loaded } from '../../parts/waiting.tsx';
import { confirmationTones } from './confirmation-tones.ts';

/** A dangerous call that an assistant asks for: what it does, who asks, and the decision. */
export function ConfirmationPage(): ReactNode {
  const { id } = useParams({ from: '/frame/confirmations/$id' });
  const query = useApi('confirmations.read', { params: { id } });
  return (
    <Loaded query={query} lines={4}>
      {({ data }) => <OneConfirmation confirmation={data} reread={() => query.refetch()} />}
    </Loaded>
  );
}

/** The values of the call that its title does not name, such as the params of an action. */
const inputOf = ({ query, body }: Confirmation) => Object.entries({ ...query, ...body });

function OneConfirmation({ confirmation, reread }: { confirmation: Confirmation; reread: () => Promise<unknown> }) {
  const { id, title, subject, status, reason, error, result_id, requested_by, requested_by_name } = confirmation;
  const [asking, setAsking] = useState(false);
  const confirm = useOrder('confirmations.confirm');
  const reject = useOrder('confirmations.reject');
  const carryOut = async () => {
    const { data } = await confirm.mutateAsync({ params: { id } });
    await reread();
    toast(data.status === 'done' ? 'Confirmed and carried out.' : `It failed: ${data.error}`);
  };
  const refuse = () =>
    reject.mutateAsync({ params: { id } }).then(async () => {
      await reread();
      toast('Rejected; nothing was changed.');
    }, toastProblem('It was not rejected.'));
  const isOpen = status === 'pending';
  return (
    <RecordPage
      title={title}
      crumbs={[
        <Link key="all" to="/confirmations">
          Confirmations
        </Link>,
      ]}
      lead={
        <>
          Asked for by {requested_by_name ?? requested_by}, <Time at={confirmation.created_at} ago />.
        </>
      }
      actions={
        isOpen && (
          <>
            <Button busy={reject.isPending} onClick={refuse}>
              Reject
            </Button>
            <Button kind="danger" onClick={() => setAsking(true)}>
              Confirm…
            </Button>
          </>
        )
      }
    >
      <dl className="facts mb-9 max-w-[720px]">
        <dt>State</dt>
        <dd>
          <Status state={status} tone={confirmationTones[status]} />
        </dd>
        {isOpen && (
          <>
            <dt>Expires</dt>
            <dd>
              <ExpiryTime at={confirmation.expires_at} />
            </dd>
          </>
        )}
        {reason !== null && (
          <>
            <dt>It says</dt>
            <dd>{reason}</dd>
          </>
        )}
        {error !== null && (
          <>
            <dt>Error</dt>
            <dd className="text-bad-ink">{error}</dd>
          </>
        )}
        {result_id !== null && (
          <>
            <dt>Result</dt>
            <dd>
              <code>{result_id}</code>
            </dd>
          </>
        )}
        <dt>Call</dt>
        <dd>
          <code>{confirmation.endpoint}</code>
        </dd>
        {inputOf(confirmation).map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>
              <code className="[overflow-wrap:anywhere]">{JSON.stringify(value)}</code>
            </dd>
          </Fragment>
        ))}
      </dl>
      {asking && (
        <ConfirmDanger action="Confirm for" name={subject} onConfirm={carryOut} onClose={() => setAsking(false)}>
          {title}. It is carried out at once, with your permissions.
        </ConfirmDanger>
      )}
    </RecordPage>
  );
}
