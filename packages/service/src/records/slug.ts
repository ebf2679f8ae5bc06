/** Maximum length of a label of a host name. */
const MAX_LENGTH = 63;

/** Converts a name to a slug. Removes accents; cuts before trimming, so that no dash is left at the end. */
export const slugify = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{Mark}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, MAX_LENGTH)
    .replace(/-$/, '');
