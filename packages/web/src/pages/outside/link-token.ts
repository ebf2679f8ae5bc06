import { useEffect, useState } from 'react';

/** The token after the # of a link. Removed from the address bar, so that it stays in no history and no screenshot. */
export function useLinkToken(): string {
  const [token] = useState(() => location.hash.slice(1));
  useEffect(() => {
    if (location.hash) history.replaceState(history.state, '', location.pathname);
  }, []);
  return token;
}
