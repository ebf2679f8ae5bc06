import { storedPageToken } from '@hortus/client/page-token';
import { pageTokenHeader } from '@hortus/contract/protocol/page-token';

/** Keeps the second half of the session for this scheme, host and port, where all tabs and the client find it. */
export const storePageToken = (token: string): void => localStorage.setItem(pageTokenHeader, token);

export const removePageToken = (): void => localStorage.removeItem(pageTokenHeader);

/** Calls back when another tab has signed out, or has signed in, maybe as another person. */
export function onPageTokenChange(listeners: { readonly removed: () => void; readonly replaced: () => void }): void {
  addEventListener('storage', ({ key }) => {
    // Null: all of the storage was cleared.
    if (key !== null && key !== pageTokenHeader) return;
    if (storedPageToken() === undefined) listeners.removed();
    else if (key !== null) listeners.replaced();
  });
}
