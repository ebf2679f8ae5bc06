import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { onPageTokenChange } from './api/page-token.ts';
import { newQueryClient } from './api/query-client.ts';
import { frameRoute } from './frame/frame-route.ts';
import { noteMissingCode } from './frame/missing-code.ts';
import { newRouter } from './router.tsx';
import './styles/console.css';
import { fontsReady } from './theme/fonts-ready.ts';
import './theme/theme.ts';

/** A session may end while a page is open: sign in again and come back to it. */
function signInAgain(): void {
  const { pathname, href } = router.state.location;
  if (pathname === '/sign-in') return;
  // Removes the session after the frame, which would read it again while the code of the sign-in page loads, and throw.
  const forget = () => queries.removeQueries({ queryKey: ['account.read'] });
  void router.navigate({ to: '/sign-in', search: { to: href } }).then(forget);
}
const queries = newQueryClient(signInAgain);
const router = newRouter(queries);
onPageTokenChange({
  removed: () => {
    // The pages before signing in, such as that of an invite, need no session.
    if (router.state.matches.some(({ routeId }) => routeId === frameRoute.id)) signInAgain();
  },
  replaced: () => void queries.invalidateQueries(),
});

noteMissingCode();
await fontsReady();
createRoot(document.getElementById('root') as HTMLElement).render(
  <QueryClientProvider client={queries}>
    <RouterProvider router={router} />
  </QueryClientProvider>,
);
