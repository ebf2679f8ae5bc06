import type { Overview } from '@hortus/contract/resources/overview';
import { Link } from '@tanstack/react-router';
import { useMay } from '../../api/session.ts';
import { Mark } from '../../parts/mark.tsx';
import { Page } from '../../parts/page.tsx';
import { PlantOutlines } from '../../parts/plant-outlines.tsx';
import { Status } from '../../parts/status.tsx';

/** Small, quick to become healthy, easy to remove. */
const GOOD_FIRST = [
  ['uptime-kuma', 'Uptime Kuma', 'monitoring'],
  ['vaultwarden', 'Vaultwarden', 'password'],
  ['memos', 'Memos', 'notes'],
  ['postgres', 'PostgreSQL', 'database'],
] as const;

/** The overview while nothing is deployed: the three next steps. */
export function FirstSteps({ overview: { servers } }: { overview: Overview }) {
  const may = useMay();
  const online = servers?.filter(({ status }) => status === 'online') ?? [];
  const hasServer = online.length > 0;
  return (
    <Page title="Overview" sentence={<span className="first-heading">A garden with nothing in it yet.</span>}>
      <p className="max-w-[62ch] text-lg text-ink-2">
        Hortus runs software on servers you own. You choose a species from the catalog, a small daemon on your server
        plants it and keeps watch. Three steps, about two minutes.
      </p>
      <PlantOutlines className="mt-8 mb-9" />
      <ol className="teach">
        <li>
          <span className="number">i.</span>
          <h2>{hasServer ? 'A server is ready' : 'Register a server'}</h2>
          {hasServer ? (
            <>
              <p>
                More can follow: any Linux machine with Docker or Podman. The daemon dials out, so no port has to be
                opened.
              </p>
              {online.slice(0, 3).map(({ id, name, status }) => (
                <p key={id} className="flex justify-between">
                  <b>{name}</b>
                  <Status state={status} />
                </p>
              ))}
            </>
          ) : (
            <p>Any Linux machine with Docker or Podman. The daemon dials out, so no port has to be opened.</p>
          )}
          {may('servers:write') && (
            <Link to="/servers" className="link">
              Register {hasServer ? 'another server' : 'a server'}
            </Link>
          )}
        </li>
        <li className={hasServer ? '' : 'later'}>
          <span className="number">ii.</span>
          <h2>Choose a species</h2>
          <p>Good first plants: one container, healthy in seconds, easy to remove.</p>
          <ul className="mini">
            {GOOD_FIRST.map(([species, name, family]) => (
              <li key={species}>
                <Link to="/catalog/$species" params={{ species }}>
                  <Mark species={species} family={family} size={30} />
                  {name}
                  <span>{family}</span>
                </Link>
              </li>
            ))}
          </ul>
        </li>
        <li className="later">
          <span className="number">iii.</span>
          <h2>Hear about it</h2>
          <p>You read the plan before anything happens, then watch each step. A webhook tells your own programs.</p>
          <Link to="/webhooks" className="link">
            Add a webhook
          </Link>
        </li>
      </ol>
    </Page>
  );
}
