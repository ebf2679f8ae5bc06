import type { Neighbour, Overview } from '@hortus/contract/resources/overview';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Mark } from '../../parts/mark.tsx';
import { toneOf, wordOf } from '../../parts/status.tsx';
import { Since, Time } from '../../parts/time.tsx';

/** Something that a person should look at. */
interface Trouble {
  readonly key: string;
  /** The server or instance. */
  readonly id: string;
  readonly title: ReactNode;
  readonly text: ReactNode;
  readonly picture?: ReactNode;
  readonly to: '/servers/$id' | '/instances/$id';
}

const MAX_SHOWN = 3;
const REASONS: Readonly<Record<string, string>> = {
  unhealthy: 'Its health check fails. Its logs say why.',
  failed: 'It stopped with an error. Its logs say why.',
  lost: 'Its server no longer reports it.',
};

/** Finds instances that are unhealthy, failed, lost or changed by hand, and servers that are offline. */
export function troublesOf({ instances, servers }: Overview): Trouble[] {
  const down = (servers ?? []).filter(({ status }) => status === 'offline');
  const unreachable = new Set(down.map(({ id }) => id));
  const sick = (instances ?? []).filter(
    (instance) => toneOf(wordOf(instance)) === 'bad' && !unreachable.has(instance.server_id),
  );
  const drifted = (instances ?? []).filter(({ drifted_at }) => drifted_at !== null);
  return [
    ...down.map(({ id, name, last_seen_at }) => ({
      key: id,
      id,
      to: '/servers/$id' as const,
      title: (
        <>
          {name} has been offline{last_seen_at && <> for {<Since at={last_seen_at} />}</>}
        </>
      ),
      text: 'What runs on it keeps running, but cannot be changed. Check that the machine and its daemon are up.',
    })),
    ...sick.map((instance) => ({
      key: instance.id,
      id: instance.id,
      to: '/instances/$id' as const,
      picture: <Mark species={instance.species} family={instance.family} size={44} />,
      title: (
        <>
          {instance.name} has been {wordOf(instance)} for <Since at={instance.updated_at} />
        </>
      ),
      text: REASONS[wordOf(instance)] ?? '',
    })),
    ...drifted.map(({ id, name, species, family, drifted_at }) => ({
      key: `${id} drift`,
      id,
      to: '/instances/$id' as const,
      picture: <Mark species={species} family={family} size={44} />,
      title: <>{name} was changed by hand</>,
      text: (
        <>
          It differs from what was deployed since <Time at={drifted_at as string} />.
        </>
      ),
    })),
  ];
}

/** Applications that receive the cookie of this console. Not a trouble that is over soon, so it is apart from those. */
function SharedHost({ neighbours }: { neighbours: readonly Neighbour[] }) {
  if (neighbours.length === 0) return null;
  return (
    <div className="attention">
      <div className="min-w-0 flex-1">
        <h3>
          {neighbours.length === 1 ? 'An application shares' : 'Applications share'} the host name of this console
        </h3>
        <p className="text-ink-2">
          Browsers send the cookie of the console to every port of its host. Give these applications, or the console, a
          host name of their own:
        </p>
        <ul>
          {neighbours.map(({ instance_id, name, addresses }) => (
            <li key={instance_id}>
              <Link to="/instances/$id" params={{ id: instance_id }} className="link">
                {name}
              </Link>{' '}
              <span className="text-ink-2">{addresses.join(', ')}</span>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

/** What needs a person, with the page that helps. */
export function Attention({ overview }: { overview: Overview }) {
  const troubles = troublesOf(overview);
  const rest = troubles.length - MAX_SHOWN;
  return (
    <div className="my-6 empty:my-7">
      {troubles.slice(0, MAX_SHOWN).map(({ key, id, title, text, picture, to }) => (
        <div key={key} className="attention">
          {picture}
          <div className="min-w-0 flex-1">
            <h3>{title}</h3>
            <p className="text-ink-2">{text}</p>
          </div>
          <Link to={to} params={{ id }} className="btn">
            Open
          </Link>
        </div>
      ))}
      {rest > 0 && <p className="mt-2 text-sm text-ink-2">And {rest} more.</p>}
      <SharedHost neighbours={overview.neighbours ?? []} />
    </div>
  );
}
