import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Icon, Logo } from '../parts/icon.tsx';
import { AccountButton } from './account-menu.tsx';
import { usePlaces } from './places.ts';

/** The bar at the top of a phone. */
export function PhoneBar({ onFind }: { onFind: () => void }) {
  return (
    <header className="phonebar">
      <Link to="/" className="brand">
        <Logo />
        Hortus
      </Link>
      <Button kind="quiet" square aria-label="Find or do anything" onClick={onFind}>
        <Icon name="search" />
      </Button>
      <AccountButton />
    </header>
  );
}

/** The bar at the bottom of a phone: the places with an icon, and all others behind More. */
export function TabBar() {
  const { all } = usePlaces();
  const [open, setOpen] = useState(false);
  const tabs = all.filter(({ icon }) => icon);
  const others = all.filter(({ icon }) => !icon);
  return (
    <nav className="tabbar" aria-label="Main">
      {tabs.map(({ name, to, icon }) => (
        <Link key={to} to={to} activeOptions={{ exact: to === '/', includeSearch: false }}>
          {icon && <Icon name={icon} size={20} />}
          {to === '/events' ? 'Activity' : name}
        </Link>
      ))}
      {others.length > 0 && (
        <button type="button" onClick={() => setOpen(true)}>
          <Icon name="menu" size={20} />
          More
        </button>
      )}
      {open && (
        <Dialog title="More" onClose={() => setOpen(false)}>
          <ul>
            {others.map(({ name, to }) => (
              <li key={to}>
                <Link to={to} className="flex h-11 items-center" onClick={() => setOpen(false)}>
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </Dialog>
      )}
    </nav>
  );
}
