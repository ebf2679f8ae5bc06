import type { Upgrade } from '@hortus/contract/resources/upgrades';
import { upgradeSteps } from '@hortus/contract/steps';
import { PlaceLink } from '../../../frame/place-link.tsx';
import { Time } from '../../../parts/time.tsx';
import { UpgradeStatus } from '../upgrade-status.tsx';

/** Where an upgrade stands, and what it led to. */
export function UpgradeFacts({ upgrade }: { upgrade: Upgrade }) {
  const { instance_id, instance_name, species, step, error, deployment_id, return_id, backup_id } = upgrade;
  const { started_at, finished_at, revision, from_revision, rehearsal_id } = upgrade;
  return (
    <dl className="facts mb-9 max-w-[780px]">
      <dt>State</dt>
      <dd>
        <UpgradeStatus upgrade={upgrade} />
        {step && <p className="text-ink-3">{upgradeSteps[step].description}</p>}
      </dd>
      {error && (
        <>
          <dt>Why it failed</dt>
          <dd className="text-bad-ink">{error}</dd>
        </>
      )}
      <dt>Instance</dt>
      <dd>
        <PlaceLink to="/instances/$id" params={{ id: instance_id }} className="link">
          {instance_name}
        </PlaceLink>
      </dd>
      <dt>Species</dt>
      <dd>
        <PlaceLink to="/catalog/$species" params={{ species }} className="link">
          {species}
        </PlaceLink>
      </dd>
      {revision !== null && (
        <>
          <dt>Revision</dt>
          <dd>
            {from_revision} → {revision}
          </dd>
        </>
      )}
      {rehearsal_id && (
        <>
          <dt>Rehearsal before</dt>
          <dd>
            <code>{rehearsal_id}</code>
          </dd>
        </>
      )}
      {backup_id && (
        <>
          <dt>Backup before</dt>
          <dd>
            <code>{backup_id}</code>
          </dd>
        </>
      )}
      {deployment_id && (
        <>
          <dt>Deployment</dt>
          <dd>
            <PlaceLink to="/deployments/$id" params={{ id: deployment_id }} className="link">
              {deployment_id}
            </PlaceLink>
          </dd>
        </>
      )}
      {return_id && (
        <>
          <dt>Rolled back by</dt>
          <dd>
            <PlaceLink to="/deployments/$id" params={{ id: return_id }} className="link">
              {return_id}
            </PlaceLink>
          </dd>
        </>
      )}
      {started_at && (
        <>
          <dt>Started</dt>
          <dd>
            <Time at={started_at} ago />
            {finished_at && (
              <>
                , finished <Time at={finished_at} ago />
              </>
            )}
          </dd>
        </>
      )}
    </dl>
  );
}

/** What stands in the way, what cannot be undone, and what the template notes about the versions on the way. */
export function Questions({ upgrade }: { upgrade: Upgrade }) {
  const { conflicts, irreversible, notes, stops, data } = upgrade;
  return (
    <>
      {stops.length > 0 && (
        <p className="note-box">
          Required stops before the newest version: <b>{stops.join(', ')}</b>. The next upgrade follows after this one.
        </p>
      )}
      {data === 'dump_restore' && (
        <p className="note-box">
          The data is dumped with the running version and restored into new volumes of the newer one. The application is
          down meanwhile. The backup made before stays.
        </p>
      )}
      {notes.map(({ version, text }) => (
        <p key={`${version}${text}`} className="note-box whitespace-pre-line">
          <b>{version}</b>: {text}
        </p>
      ))}
      {conflicts.map(({ field, message }) => (
        <p key={field} className="note-box">
          <b>{field}</b>: {message}
        </p>
      ))}
      {irreversible.map(({ component, message }) => (
        <p key={`${component}${message}`} className="note-box">
          <b>{component}</b>: {message} A rollback would not undo this.
        </p>
      ))}
    </>
  );
}
