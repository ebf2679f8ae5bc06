import type { ApiKey } from '@hortus/contract/resources/keys';
import { type ReactNode, useMemo, useState } from 'react';
import { useApi, useOrder } from '../../../api/query.ts';
import { rateNow } from '../../../api/rate-budget.ts';
import { useMay, useSession } from '../../../api/session.ts';
import { useCommands } from '../../../frame/commands.ts';
import { counted } from '../../../parts/amount.ts';
import { Button } from '../../../parts/button.tsx';
import { ConfirmDanger } from '../../../parts/confirm-danger.tsx';
import { ExpiryTime } from '../../../parts/expiry-time.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { useListSearch } from '../../../parts/list-search.ts';
import { Named } from '../../../parts/named.tsx';
import { Empty } from '../../../parts/page.tsx';
import { Status, sentenceCase } from '../../../parts/status.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { toast } from '../../../parts/toast.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { SettingsFrame } from '../settings-frame.tsx';
import { CreateKey } from './create-key.tsx';
import { GrantedTags } from './granted-tags.tsx';

const NOTE =
  'A key acts for this account with the permissions you choose. Its value is shown once, when you create it; only a fingerprint is kept.';

/** API keys of the account: list, create, revoke. */
export function KeysPage(): ReactNode {
  const [search, change] = useListSearch('/frame/settings/keys');
  const query = useApi('keys.list', { query: { page: search.page ?? 1 } });
  const mayChange = useMay()('account:write');
  const [revoking, setRevoking] = useState<ApiKey>();
  const begin = () => change({ new: 'key' });
  useCommands(
    // biome-ignore lint/correctness/useExhaustiveDependencies: begin only changes the URL
    useMemo(() => (mayChange ? [{ name: 'Create an API key', run: begin }] : []), [mayChange]),
  );
  const create = mayChange && (
    <Button kind="primary" onClick={begin}>
      <Icon name="plus" />
      Create New
    </Button>
  );
  return (
    <SettingsFrame title="API Keys" note={NOTE} action={create}>
      <Loaded query={query} lines={6}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title="No API keys yet.">
              A program signs in with a key: the hortus command, a pipeline, a dashboard. Create one for each, so that
              you can revoke one without the others.
            </Empty>
          ) : (
            <div className="sheet">
              <Table
                label="API keys"
                columns={columns(mayChange ? setRevoking : undefined)}
                rows={data}
                pagination={pagination}
              />
            </div>
          )
        }
      </Loaded>
      {query.data && <RateUse />}
      {mayChange && search.new === 'key' && <CreateKey onClose={() => change({ new: undefined })} />}
      {revoking && <Revoke apiKey={revoking} onClose={() => setRevoking(undefined)} />}
    </SettingsFrame>
  );
}

const columns = (revoke: ((key: ApiKey) => void) | undefined): readonly Column<ApiKey>[] => [
  {
    name: 'Name',
    cell: ({ name, prefix, permissions, expires_at }) => (
      <Named
        also={
          <>
            {prefix}…, {counted(permissions.length, 'permission')}, ends <ExpiryTime at={expires_at} />
          </>
        }
      >
        <b>{name}</b>
      </Named>
    ),
  },
  { name: 'Key', wide: true, cell: ({ prefix }) => <code className="text-ink-2">{prefix}…</code> },
  { name: 'May', wide: true, cell: ({ permissions }) => <GrantedTags permissions={permissions} /> },
  { name: 'Only from', wide: true, cell: ({ allowed_cidrs: networks }) => <Networks networks={networks} /> },
  {
    name: 'Last used',
    wide: true,
    cell: ({ last_used_at }) =>
      last_used_at === null ? (
        <Status state="never" tone="idle">
          never
        </Status>
      ) : (
        <Time at={last_used_at} ago />
      ),
  },
  {
    name: 'Expires',
    wide: true,
    cell: ({ expires_at, revoked_at }) => (revoked_at ? '' : <ExpiryTime at={expires_at} />),
  },
  {
    name: ' ',
    cell: (key) => (
      <div className="row-actions text-right">
        {key.revoked_at !== null ? (
          <span className="text-ink-3">
            Revoked <Time at={key.revoked_at} ago />
          </span>
        ) : (
          revoke && (
            <Button small kind="quiet" aria-label={`Revoke ${key.name}`} onClick={() => revoke(key)}>
              Revoke
            </Button>
          )
        )}
      </div>
    ),
  },
];

/** How much of the rate limit this minute has used, as of the last answer. */
function RateUse() {
  const { account } = useSession();
  const rate = rateNow();
  if (!rate) return null;
  const used = (rate.limit - rate.remaining).toLocaleString();
  return (
    <p className="mt-3.5 text-sm text-ink-3">
      {used} of {rate.limit.toLocaleString()} requests used this minute, plan {sentenceCase(account.plan)}.
    </p>
  );
}

function Networks({ networks }: { networks: readonly string[] }) {
  if (networks.length === 0) return <span className="text-ink-3">everywhere</span>;
  const rest = networks.length - 1;
  return (
    <span title={networks.join(', ')}>
      <code>{networks[0]}</code>
      {rest > 0 && ` +${rest}`}
    </span>
  );
}

function Revoke({ apiKey: { id, name, prefix }, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const revoke = useOrder('keys.revoke');
  const confirm = async () => {
    await revoke.mutateAsync({ params: { id } });
    toast(
      <>
        <b>{name}</b> is revoked.
      </>,
    );
  };
  return (
    <ConfirmDanger action="Revoke" name={name} onConfirm={confirm} onClose={onClose}>
      Programs that use {prefix}… are refused from now on. A revoked key cannot be restored.
    </ConfirmDanger>
  );
}
