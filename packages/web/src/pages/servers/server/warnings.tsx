import type { Server } from '@hortus/contract/resources/server-records';
import { useOrder } from '../../../api/query.ts';
import { useMay } from '../../../api/session.ts';
import { Button } from '../../../parts/button.tsx';
import { ExpiryTime } from '../../../parts/expiry-time.tsx';
import { Time } from '../../../parts/time.tsx';
import { toast, toastProblem } from '../../../parts/toast.tsx';

/** What is wrong with a server, and what to do about it. */
export function Warnings({ server }: { server: Server }) {
  const { status, trusted, kind, fingerprint, duplicate_seen_at, old_key_valid_until, identity, last_seen_at } = server;
  return (
    <>
      {status === 'pending' && (
        <p className="note-box">
          No daemon has connected yet. If the line to paste is lost, rotate the key: that shows a new one.
        </p>
      )}
      {status === 'offline' && (
        <p className="note-box">
          Offline
          {last_seen_at && (
            <>
              , last seen <Time at={last_seen_at} ago />
            </>
          )}
          . What runs on it keeps running, but cannot be changed. Check that the machine is up and what{' '}
          <code>journalctl -u hortusd</code> says.
        </p>
      )}
      {status === 'draining' && (
        <p className="note-box">
          Draining: it accepts no new deployments. What runs here continues until you move it to another server.
        </p>
      )}
      {!trusted && (
        <p className="note-box">
          Not trusted: its key was given to someone without the permission data:export. It is never chosen
          automatically, and existing secrets are not moved here. To trust it, someone with that permission{' '}
          {kind === 'cluster' ? 'adds a member and revokes the first one.' : 'rotates its key.'}
        </p>
      )}
      {fingerprint?.engine_problem && (
        <p className="note-box">Its engine cannot be used: {fingerprint.engine_problem}</p>
      )}
      {duplicate_seen_at && (
        <p className="note-box">
          Two daemons used the key of this server <Time at={duplicate_seen_at} ago />. Stop one of them, or rotate the
          key if you know only one.
        </p>
      )}
      {old_key_valid_until && (
        <p className="note-box">
          The old key still works until the daemon uses the new one; it ends <ExpiryTime at={old_key_valid_until} />.
        </p>
      )}
      {identity.status === 'conflict' && <Conflict server={server} />}
    </>
  );
}

function Conflict({ server: { id, identity } }: { server: Server }) {
  const may = useMay();
  const reset = useOrder('servers.resetIdentity');
  const decide = (fingerprint: string | null, done: string) => () =>
    reset
      .mutateAsync({ params: { id }, body: fingerprint ? { fingerprint } : {} })
      .then(() => toast(done), toastProblem('The conflict remains.'));
  return (
    <div className="attention" role="alert">
      <div className="min-w-0 flex-1">
        <h3>Another daemon used the key of this server</h3>
        <p className="text-ink-2">
          If you reinstalled it, accept the new one. If not, its key may be stolen: keep the known daemon, then rotate
          the key.
        </p>
      </div>
      {may('data:export') && may('servers:write') && (
        <>
          <Button busy={reset.isPending} onClick={decide(identity.fingerprint, 'The known daemon stays.')}>
            Keep the known one
          </Button>
          <Button
            kind="danger"
            busy={reset.isPending}
            onClick={decide(identity.conflicting_fingerprint, 'The new daemon is accepted.')}
          >
            Accept the new one
          </Button>
        </>
      )}
    </div>
  );
}
