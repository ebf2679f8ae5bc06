import type { Backup } from '@hortus/contract/resources/backups';
import { useOrder } from '../../../api/query.ts';
import { useMay } from '../../../api/session.ts';
import { disk } from '../../../parts/amount.ts';
import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { Menu, MenuItem } from '../../../parts/menu.tsx';
import { Status, sentenceCase } from '../../../parts/status.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { toast, toastProblem } from '../../../parts/toast.tsx';

type Ask = (backup: Backup, what: 'restore' | 'delete') => void;

export function BackupTable({
  backups,
  pagination,
  onAsk,
}: {
  backups: readonly Backup[];
  pagination: { page: number; total: number; total_pages: number };
  onAsk: Ask;
}) {
  const columns: readonly Column<Backup>[] = [
    {
      name: 'Made',
      cell: ({ created_at, kind }) => (
        <>
          <b>
            <Time at={created_at} ago />
          </b>{' '}
          <span className="text-ink-3">{sentenceCase(kind)}</span>
        </>
      ),
    },
    {
      name: 'Size',
      wide: true,
      cell: ({ stored_bytes, status }) => (status === 'completed' ? disk(stored_bytes) : '–'),
    },
    {
      name: 'Stopped for',
      wide: true,
      cell: ({ stopped_ms }) => (stopped_ms ? `${(stopped_ms / 1000).toFixed(1)} s` : '–'),
    },
    { name: 'Revision', wide: true, cell: ({ revision }) => revision ?? '–' },
    { name: 'State', cell: (backup) => <State backup={backup} /> },
    { name: '', cell: (backup) => <Doing backup={backup} onAsk={onAsk} /> },
  ];
  return (
    <div className="sheet">
      <Table label="Backups" columns={columns} rows={backups} pagination={pagination} />
    </div>
  );
}

function State({ backup: { status, last_verified, verify_error, error } }: { backup: Backup }) {
  if (status !== 'completed')
    return (
      <Status state={status}>
        <span title={error ?? undefined}>{sentenceCase(status)}</span>
      </Status>
    );
  if (verify_error)
    return (
      <Status state="failed">
        <span title={verify_error}>Verification failed</span>
      </Status>
    );
  return last_verified ? (
    <Status state="completed">
      <span>
        Verified <Time at={last_verified} ago />
      </span>
    </Status>
  ) : (
    <Status state="kept">Not verified</Status>
  );
}

function Doing({ backup, onAsk }: { backup: Backup; onAsk: Ask }) {
  const may = useMay();
  const verify = useOrder('backups.verify');
  const isWhole = backup.status === 'completed';
  const order = () =>
    verify
      .mutateAsync({ params: { id: backup.id } })
      .then(() => toast('Verifying the backup. The running instance is not touched.'))
      .catch(toastProblem('Could not verify the backup.'));
  if (!may('backups:write') && !may('backups:restore')) return null;
  return (
    <span className="row-actions flex justify-end gap-2">
      {isWhole && may('backups:restore') && (
        <Button small onClick={() => onAsk(backup, 'restore')}>
          Restore…
        </Button>
      )}
      {may('backups:write') && (isWhole || backup.status === 'failed') && (
        <Menu
          button={
            <Button small square busy={verify.isPending} aria-label="More for this backup">
              <Icon name="more" />
            </Button>
          }
        >
          {isWhole && <MenuItem onSelect={order}>Verify</MenuItem>}
          <MenuItem danger onSelect={() => onAsk(backup, 'delete')}>
            Delete…
          </MenuItem>
        </Menu>
      )}
    </span>
  );
}
