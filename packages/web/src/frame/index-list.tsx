import { Link } from '@tanstack/react-router';
import { useLiveState } from '../api/live-context.ts';
import { useApi } from '../api/query.ts';
import { Icon, Logo } from '../parts/icon.tsx';
import { AccountMenu } from './account-menu.tsx';
import { type Place, usePlaces } from './places.ts';

/** The index at the left: text with counts, grouped by hairlines. */
export function Index({ onFind }: { onFind: () => void }) {
  const { groups, settings } = usePlaces();
  const counts = useApi('overview.read').data?.data.counts;
  const list = (places: readonly Place[]) => (
    <ul key={places[0]?.to}>
      {places.map((place) => (
        <li key={place.to}>
          <PlaceOfIndex place={place} count={place.count && counts?.[place.count]} />
        </li>
      ))}
    </ul>
  );
  return (
    <nav className="index" aria-label="Main">
      <Link to="/" className="brand">
        <Logo />
        Hortus
      </Link>
      <button type="button" className="find" onClick={onFind}>
        <Icon name="search" />
        Find anything
        <kbd className="ml-auto">{/Mac/.test(navigator.platform) ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      {groups.map(list)}
      <div className="mt-auto pt-3.5">
        <NotLive />
        {list([settings])}
        <AccountMenu />
      </div>
    </nav>
  );
}

function PlaceOfIndex({
  place: { name, to, count: counted },
  count,
}: {
  place: Place;
  count: number | null | undefined;
}) {
  const isRunning = counted === 'deployments';
  return (
    <Link to={to} activeOptions={{ exact: to === '/', includeSearch: false }}>
      <span>{name}</span>
      {count != null && (!isRunning || count > 0) && (
        <span className={isRunning ? 'st now gap-1.5!' : 'text-ink-3'}>{count.toLocaleString()}</span>
      )}
    </Link>
  );
}

/** Says so if changes no longer arrive; while they do, there is nothing to say. */
function NotLive() {
  if (useLiveState() !== 'lost') return null;
  return (
    <p role="status" className="px-2.5 pb-2 text-xs text-warn-ink">
      Changes arrive late: the event stream is closed.
    </p>
  );
}
