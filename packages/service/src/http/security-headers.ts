/** Headers of every answer: browsers must not execute or embed it. */
export const securityHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  // A page of another origin that opened this one cannot reach its window.
  'Cross-Origin-Opener-Policy': 'same-origin',
} as const;

/** Policy of the reference page, which loads only its own style sheet. */
export const pagePolicy =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Sources of the scripts of a page: files of this origin, and the one script in the page, by its hash. */
const scripts = (hash: string | undefined) => `script-src 'self'${hash === undefined ? '' : ` '${hash}'`}`;

/** Policy of the console: its own scripts, styles and fonts, and requests to its own origin. */
export const consolePolicy = (hash: string | undefined): string =>
  [
    "default-src 'none'",
    scripts(hash),
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "frame-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ');

/**
 * Policy of the frame with the terminal, which only a page of the console may show. The terminal writes style elements;
 * nothing else is looser than in the console, and no form can be sent.
 */
export const terminalPolicy = (hash: string | undefined): string =>
  [
    "default-src 'none'",
    scripts(hash),
    "style-src 'self' 'unsafe-inline'",
    "connect-src 'self'",
    "font-src 'self'",
    "frame-ancestors 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
