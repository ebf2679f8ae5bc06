import type { RegisteredServer } from '@hortus/contract/resources/server-records';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useApi } from '../../../api/query.ts';
import { mayRefresh } from '../../../api/rate-budget.ts';
import { Button } from '../../../parts/button.tsx';
import { Copied } from '../../../parts/copy.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Status } from '../../../parts/status.tsx';
import { Since } from '../../../parts/time.tsx';
import { InstallLine } from './install-line.tsx';

/** A daemon that only polls causes no event when it first connects; this short wait is worth a request now and then. */
const POLL_MS = 4_000;

/** The line to paste, shown once, and whether the daemon has connected. */
export function WaitForServer({ server, onClose }: { server: RegisteredServer; onClose: () => void }) {
  const query = useApi('servers.read', { params: { id: server.id } });
  const found = query.data?.data;
  const isConnected = found?.status === 'online' || found?.status === 'draining';
  const { refetch } = query;
  useEffect(() => {
    if (isConnected) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && mayRefresh()) void refetch();
    }, POLL_MS);
    return () => clearInterval(timer);
  }, [isConnected, refetch]);
  return (
    <Dialog title={`Connect ${server.name}`} onClose={() => {}}>
      <h2>Connect {server.name}</h2>
      <p className="mb-4 text-ink-2">
        Paste this line on the server. It holds the server key, which is shown only now, and installs the daemon as a
        systemd service.
      </p>
      <InstallLine server={server} />
      <details className="mt-3 text-sm text-ink-2">
        <summary className="cursor-pointer">Only the key, to install it another way</summary>
        <div className="mt-2">
          <Copied text={server.api_key} label="Copy server key" />
        </div>
      </details>
      <p className="mt-5" role="status">
        {isConnected ? (
          <Status state="online">Connected{found.daemon.engine && `, with ${found.daemon.engine}`}</Status>
        ) : (
          <Status state="waiting" tone="now">
            <span>
              Waiting for it, <Since at={server.created_at} />
            </span>
          </Status>
        )}
      </p>
      {!isConnected && (
        <p className="mt-1 text-sm text-ink-3">
          Nothing arriving? <code>journalctl -u hortusd</code> on the server says why.
        </p>
      )}
      <div className="dialog-foot">
        {isConnected && (
          <Link to="/servers/$id" params={{ id: server.id }} className="btn">
            Open {server.name}
          </Link>
        )}
        <Button kind="primary" onClick={onClose}>
          {isConnected ? 'Done' : 'I have stored it'}
        </Button>
      </div>
    </Dialog>
  );
}
