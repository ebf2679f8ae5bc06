/** The parts of a request's target. */
export interface Target {
  /** Percent-encoded; the router decodes each segment. */
  readonly path: string;
  /** Without the question mark; empty if there is no query. */
  readonly search: string;
  /** Host and port of a target in absolute form (`GET http://host/path`); undefined in origin form (`GET /path`). */
  readonly authority: string | undefined;
}

const absolute = /^https?:\/\/([^/?#]*)/i;

/**
 * Parses the target of a request; no other code does. Never throws, whatever the request line contains. A target in neither form, such as
 * `*`, becomes a path that no route has.
 */
export function parseTarget(raw: string): Target {
  if (raw.charCodeAt(0) === SLASH) return split(raw, undefined);
  const [start, authority] = absolute.exec(raw) ?? [];
  if (start === undefined) return split(raw, undefined);
  const rest = raw.slice(start.length);
  return split(rest.startsWith('/') ? rest : `/${rest}`, authority);
}

const SLASH = '/'.charCodeAt(0);

function split(text: string, authority: string | undefined): Target {
  const mark = text.indexOf('?');
  return mark < 0
    ? { path: text, search: '', authority }
    : { path: text.slice(0, mark), search: text.slice(mark + 1), authority };
}
