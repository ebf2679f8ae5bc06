/** Messages between the page and the frame with the terminal, both of this origin. */
export type FrameMessage =
  | { readonly type: 'started'; readonly component: string }
  | { readonly type: 'ended'; readonly words: string }
  | { readonly type: 'theme'; readonly theme: string };

/** What the frame needs is behind the `#`, which is not sent to anyone. */
export const frameAddress = (session: string): string => `/frames/terminal#${new URLSearchParams({ session })}`;

export const frameHash = (hash: string): { session: string } => ({
  session: new URLSearchParams(hash.slice(1)).get('session') ?? '',
});
