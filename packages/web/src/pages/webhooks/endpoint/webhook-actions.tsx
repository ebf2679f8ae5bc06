import type { WebhookEndpoint, WebhookTest } from '@hortus/contract/resources/webhooks';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useOrder } from '../../../api/query.ts';
import { useMay } from '../../../api/session.ts';
import { useCommands } from '../../../frame/commands.ts';
import { Button } from '../../../parts/button.tsx';
import { ConfirmDanger } from '../../../parts/confirm-danger.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { Menu, MenuItem } from '../../../parts/menu.tsx';
import { toast, toastProblem } from '../../../parts/toast.tsx';
import { hostOf } from '../webhook-status.tsx';
import { EditWebhook } from './edit-webhook.tsx';
import { TestResult } from './test-result.tsx';

type Opened = 'edit' | 'remove';

export function WebhookActions({ webhook }: { webhook: WebhookEndpoint }) {
  const { id, url, status } = webhook;
  const mayChange = useMay()('webhooks:write');
  const [open, setOpen] = useState<Opened>();
  const [result, setResult] = useState<WebhookTest>();
  const update = useOrder('webhooks.update');
  const test = useOrder('webhooks.test');
  const remove = useOrder('webhooks.delete');
  const navigate = useNavigate();
  const host = hostOf(url);
  useCommands(
    useMemo(
      () => (mayChange ? [{ name: `Edit the webhook ${host}`, run: () => setOpen('edit') }] : []),
      [mayChange, host],
    ),
  );
  if (!mayChange) return null;
  const toggle = () =>
    update
      .mutateAsync({ params: { id }, body: { status: status === 'active' ? 'paused' : 'active' } })
      .then(
        () => toast(status === 'active' ? `${host} gets nothing for now.` : `${host} gets events again.`),
        toastProblem(`${host} stays as it is.`),
      );
  const send = () =>
    test.mutateAsync({ params: { id } }).then(({ data }) => setResult(data), toastProblem('The test was not sent.'));
  const confirm = async () => {
    await remove.mutateAsync({ params: { id } });
    toast(`${host} is removed.`);
    await navigate({ to: '/webhooks' });
  };
  const close = () => setOpen(undefined);
  return (
    <>
      <Button busy={test.isPending} onClick={send}>
        Send a test
      </Button>
      <Button busy={update.isPending} onClick={toggle}>
        {status === 'active' ? 'Pause' : 'Resume'}
      </Button>
      <Menu
        button={
          <Button square aria-label={`More for ${host}`}>
            <Icon name="more" />
          </Button>
        }
      >
        <MenuItem onSelect={() => setOpen('edit')}>Edit…</MenuItem>
        <MenuItem danger onSelect={() => setOpen('remove')}>
          Remove…
        </MenuItem>
      </Menu>
      {result && <TestResult host={host} result={result} onClose={() => setResult(undefined)} />}
      {open === 'edit' && <EditWebhook webhook={webhook} onClose={close} />}
      {open === 'remove' && (
        <ConfirmDanger action="Remove" name={host} onConfirm={confirm} onClose={close}>
          Deliveries that still wait are not sent any more, and the history of this endpoint is gone.
        </ConfirmDanger>
      )}
    </>
  );
}
