import type { Server } from '@hortus/contract/resources/server-records';
import { counted } from '../../../parts/amount.ts';
import { Button } from '../../../parts/button.tsx';

/** A note that a newer daemon is available for some of the shown servers; nothing otherwise. */
export function NewerDaemon({ servers, onUpdate }: { servers: readonly Server[]; onUpdate: (() => void) | undefined }) {
  const old = servers.filter(({ daemon }) => daemon.newer_version !== null);
  if (old.length === 0) return null;
  const versions = [...new Set(old.map(({ daemon }) => daemon.newer_version))].join(', ');
  return (
    <div className="note-box flex flex-wrap items-center justify-between gap-3">
      <span>
        Newer daemon available: {versions} for {counted(old.length, 'server')}.
      </span>
      {onUpdate && (
        <Button small onClick={onUpdate}>
          Update daemons…
        </Button>
      )}
    </div>
  );
}
