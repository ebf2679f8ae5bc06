/** Stands for the address of the server in HORTUS_APPS_DOMAIN. */
export const ADDRESS = '{address}';

/** Returns the domain for applications on a server with this address. */
export const domainAt = (setting: string, address: string): string => setting.replaceAll(ADDRESS, dashed(address));

/**
 * Writes an address as a label of a host name, as services such as sslip.io resolve it. A label has no dash at its ends, so
 * `::1` becomes `0--1`.
 */
const dashed = (address: string): string =>
  address
    .replace(/^::ffff:(?=\d{1,3}\.)/i, '')
    .replace(/%.*/s, '')
    .replace(/[.:]/g, '-')
    .replace(/^-/, '0-')
    .replace(/-$/, '-0');
