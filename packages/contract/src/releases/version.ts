import manifest from '../../package.json' with { type: 'json' };

/** Version of service, daemon and command line. A test holds the manifests of the other packages against it. */
export const VERSION: string = manifest.version;

/** Date of that version, for the manual page and packages. */
export const RELEASED = '2026-11-17';
