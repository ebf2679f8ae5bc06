/** What a request asks for, as far as it names something of this service. */
export interface Target {
  /** Still encoded; the router decodes each of its segments. */
  readonly path: string;
  /** Without the question mark; empty where there is none. */
  readonly search: string;
  /** Of a target in absolute form, as one to a proxy is written; undefined for one that begins with its path. */
  readonly authority: string | undefined;
}

const absolute = /^https?:\/\/([^/?#]*)/i;

/**
 * Reads the target of a request: the one place that does. Never throws, whatever stands in the request line. What has neither of
 * the two forms, such as `*`, is its own path, and no route has it.
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
