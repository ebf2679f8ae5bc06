import { upgradeSteps } from '@hortus/contract/actions/steps';
import type { Upgrade, UpgradeRefusal } from '@hortus/contract/resources/upgrades';
import { Link } from '@tanstack/react-router';
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
        <Link to="/instances/$id" params={{ id: instance_id }} className="link">
          {instance_name}
        </Link>
      </dd>
      <dt>Species</dt>
      <dd>
        <Link to="/catalog/$species" params={{ species }} className="link">
          {species}
        </Link>
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
            <Link to="/deployments/$id" params={{ id: deployment_id }} className="link">
              {deployment_id}
            </Link>
          </dd>
        </>
      )}
      {return_id && (
        <>
          <dt>Rolled back by</dt>
          <dd>
            <Link to="/deployments/$id" params={{ id: return_id }} className="link">
              {return_id}
            </Link>
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

function RefusalBox({ refusal: { reason, instead } }: { refusal: UpgradeRefusal }) {
  return (
    <div className="note-box">
      <p className="whitespace-pre-line">
        <b>This upgrade is refused.</b> {reason}
      </p>
      <p className="mt-2 whitespace-pre-line">
        <b>What to do instead</b>: {instead}
      </p>
    </div>
  );
}

/** What stands in the way, what cannot be undone, and what the template notes about the versions on the way. */
export function Questions({ upgrade }: { upgrade: Upgrade }) {
  const { conflicts, irreversible, notes, stops, data, refusal } = upgrade;
  // A refusal is its own box; what else the upgrade would ask does not matter then.
  if (refusal) return <RefusalBox refusal={refusal} />;
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
