import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Live } from '../api/live.ts';
import { LiveContext } from '../api/live-context.ts';
import { Toasts } from '../parts/toast.tsx';
import { Index } from './index-list.tsx';
import { Palette } from './palette.tsx';
import { PhoneBar, TabBar } from './phone-bars.tsx';
import { ShortcutSheet, useShortcuts } from './shortcuts.tsx';

/** Everything around a page: index, palette, shortcuts, toasts, and the event stream of this tab. */
export function Frame(): ReactNode {
  const queries = useQueryClient();
  const [live, setLive] = useState<Live>();
  const [open, setOpen] = useState<'palette' | 'shortcuts'>();
  useEffect(() => {
    const opened = new Live(queries);
    setLive(opened);
    return () => opened.close();
  }, [queries]);
  useShortcuts({ find: () => setOpen('palette'), help: () => setOpen('shortcuts') });
  const main = useFocusOnNewPage();
  const close = () => setOpen(undefined);
  return (
    <LiveContext value={live}>
      <a className="btn skip" href="#page">
        Skip to the page
      </a>
      <PhoneBar onFind={() => setOpen('palette')} />
      <div className="app">
        <Index onFind={() => setOpen('palette')} />
        <main id="page" ref={main} tabIndex={-1} className="page-column outline-none">
          <Outlet />
        </main>
      </div>
      <TabBar />
      <Toasts />
      {open === 'palette' && <Palette onClose={close} />}
      {open === 'shortcuts' && <ShortcutSheet onClose={close} />}
    </LiveContext>
  );
}

/** Moves focus to a new page, as a page load would, so that keyboard and screen reader start at its top. */
function useFocusOnNewPage() {
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    main.current?.focus({ preventScroll: true });
  }, [path]);
  return main;
}
