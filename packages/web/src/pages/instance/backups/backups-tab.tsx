import { backupMachine } from '@hortus/contract/machines/backup';
import type { StateOf } from '@hortus/contract/machines/machine';
import type { Backup } from '@hortus/contract/resources/backups';
import type { InstanceOverview } from '@hortus/contract/resources/overview';
import { useState } from 'react';
import { useApi } from '../../../api/query.ts';
import { useMay } from '../../../api/session.ts';
import { Filter } from '../../../parts/filters.tsx';
import { useListSearch } from '../../../parts/list-search.ts';
import { Empty, Section } from '../../../parts/page.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { RehearsalsSection } from '../../rehearsals/rehearsals-section.tsx';
import { holds } from './backup-card.tsx';
import { BackupTable } from './backup-table.tsx';
import { CloneInstance } from './clone-instance.tsx';
import { CreateBackup } from './create-backup.tsx';
import { DeleteBackup } from './delete-backup.tsx';
import { RestoreBackup } from './restore-backup.tsx';
import { Schedule } from './schedule.tsx';

/** Backups of the instance: create, verify, restore, delete, and their schedule. */
export function BackupsTab({ about }: { about: InstanceOverview }) {
  const { instance, backup, definition } = about;
  const may = useMay();
  const [search] = useListSearch('/frame/instances/$id');
  const status = backupMachine.states.find((state) => state === search.status) as
    | StateOf<typeof backupMachine>
    | undefined;
  const query = useApi('backups.list', {
    query: { instance_id: instance.id, page: search.page ?? 1, ...(status && { status }) },
  });
  const [asked, setAsked] = useState<{ backup: Backup; what: 'restore' | 'delete' }>();
  const close = () => setAsked(undefined);
  return (
    <div className="instance-columns">
      <Section
        title="Backups"
        className="min-w-0"
        more={
          <span className="flex gap-2">
            <Filter name="status" label="Status" options={backupMachine.states} />
            <CreateBackup about={about} />
          </span>
        }
      >
        <Loaded query={query} lines={8}>
          {({ data, pagination }) =>
            data.length === 0 ? (
              <Empty title="No backups.">{backup && holds(backup)} Make one now, or let a schedule do it.</Empty>
            ) : (
              <BackupTable
                backups={data}
                pagination={pagination}
                onAsk={(item, what) => setAsked({ backup: item, what })}
              />
            )
          }
        </Loaded>
      </Section>
      <aside className="min-w-0">
        {may('deployments:read') && (
          <RehearsalsSection title="Copies" of={{ instance_id: instance.id }} more={<CloneInstance about={about} />} />
        )}
        {definition && (
          <Schedule
            key={JSON.stringify(definition.backup)}
            definition={definition}
            hint={backup?.schedule_hint ?? null}
            mayChange={may('definitions:write')}
          />
        )}
      </aside>
      {asked?.what === 'restore' && <RestoreBackup backup={asked.backup} onClose={close} />}
      {asked?.what === 'delete' && <DeleteBackup backup={asked.backup} onClose={close} />}
    </div>
  );
}
