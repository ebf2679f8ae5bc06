/** As long as a label of a host name may be. */
const LONGEST = 63;

/** A name as it may stand in an address. Letters lose their accents; cut before it is trimmed, so that no cut leaves a dash at the end. */
export const slugify = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{Mark}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, LONGEST)
    .replace(/-$/, '');
