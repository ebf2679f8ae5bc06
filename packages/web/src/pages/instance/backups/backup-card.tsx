import type { Backup } from '@hortus/contract/resources/backups';
import type { InstanceOverview } from '@hortus/contract/resources/overview';
import { useState } from 'react';
import { useMay } from '../../../api/session.ts';
import { disk } from '../../../parts/amount.ts';
import { Button } from '../../../parts/button.tsx';
import { Leaf } from '../../../parts/icon.tsx';
import { Status } from '../../../parts/status.tsx';
import { Time } from '../../../parts/time.tsx';
import { CreateBackup } from './create-backup.tsx';
import { RestoreBackup } from './restore-backup.tsx';

const SHOWN = 3;

/** The newest backups: whether one can be relied on, the last fourteen as squares, and the newest to restore. */
export function BackupCard({ about, backups }: { about: InstanceOverview; backups: readonly Backup[] }) {
  const may = useMay();
  const [restoring, setRestoring] = useState<Backup>();
  const verified = backups.find(({ last_verified }) => last_verified !== null);
  const squares = [...backups].reverse();
  return (
    <div className="sheet px-[18px] py-4">
      {backups.length === 0 ? (
        <>
          <p className="font-serif text-xl">No backup yet</p>
          <p className="mt-1 mb-3 text-sm text-ink-2">{about.backup ? holds(about.backup) : ''}</p>
          <CreateBackup about={about} small />
        </>
      ) : (
        <>
          <div className="mb-3 flex gap-3">
            <Leaf flipped={false} size={22} />
            <div>
              <p className="font-serif text-xl">
                {verified?.last_verified ? (
                  <>
                    Verified <Time at={verified.last_verified} ago />
                  </>
                ) : (
                  'Not verified yet'
                )}
              </p>
              <p className="text-sm text-ink-2">{proofOf(verified)}</p>
            </div>
          </div>
          <div className="squares" role="img" aria-label={`The last ${squares.length}: ${countOf(squares)}`}>
            {squares.map((backup) => (
              <i key={backup.id} className={squareOf(backup)} />
            ))}
          </div>
          <ul className="backup-list">
            {backups.slice(0, SHOWN).map((backup) => (
              <li key={backup.id}>
                <Time at={backup.created_at} ago />
                <span className="text-ink-3">
                  {backup.status === 'completed' ? disk(backup.stored_bytes) : <Status state={backup.status} />}
                </span>
                {may('backups:restore') && backup.status === 'completed' && (
                  <Button small onClick={() => setRestoring(backup)}>
                    Restore…
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      {restoring && <RestoreBackup backup={restoring} onClose={() => setRestoring(undefined)} />}
    </div>
  );
}

/** What a backup of the instance contains, in words. */
export function holds({ strategy, volumes }: { strategy: string; volumes: readonly { name: string }[] }): string {
  if (strategy === 'none') return 'Its template declares nothing to back up.';
  const names = volumes.map(({ name }) => name).join(', ');
  const parts = [
    (strategy === 'dump' || strategy === 'both') && 'a dump, which is taken while it runs',
    names && `${volumes.length === 1 ? 'the volume' : 'the volumes'} ${names}`,
  ];
  return `A backup contains ${parts.filter(Boolean).join(', and ')}.`;
}

const proofOf = (verified: Backup | undefined): string => {
  if (!verified) return 'Verify one, and you know that it can be restored.';
  return verified.proof === 'restored'
    ? 'It was restored into a temporary application, which became healthy and passed its smoke test.'
    : 'All of it could be read and its checksums are right.';
};

const squareOf = ({ status, last_verified, verify_error }: Backup): string => {
  if (status === 'failed' || verify_error !== null) return 'bad';
  if (status === 'pending') return 'now';
  return last_verified === null ? 'kept' : 'ok';
};

const countOf = (backups: readonly Backup[]): string => {
  const of = (kind: string) => backups.filter((backup) => squareOf(backup) === kind).length;
  return `${of('ok')} verified, ${of('kept')} not verified, ${of('bad')} failed`;
};
