/** The servers of one database, of which one accepts writes at a time. */
export interface DatabaseServers {
  /** One URL per server, in the order of the setting, as `pg` reads it. With the password. */
  readonly urls: readonly string[];
  /** Whether a new connection must be checked for being on the primary. */
  readonly checked: boolean;
}

const EXAMPLE = 'postgres://user:password@host:5432/hortus';
const ATTRIBUTE = 'target_session_attrs';
/** Values of libpq that select the server on which Hortus can work. */
const WRITABLE = ['read-write', 'primary'];
const MAX_SERVERS = 16;

const parts = /^(postgres(?:ql)?:)\/\/(?:([^/?#]*)@)?([^/?#@]*)((?:\/[^?#]*)?)(?:\?([^#]*))?$/;

/**
 * Reads a URL that may name several hosts, as libpq does: postgres://user:password@one:5432,two:5432/hortus. Messages
 * of errors do not contain the value, because it has a password.
 */
export function readDatabaseServers(text: string): DatabaseServers {
  const [, protocol, user, hosts = '', path = '', query = ''] = parts.exec(text) ?? [];
  if (protocol === undefined) throw new Error(`must be an address such as ${EXAMPLE}.`);
  const parameters = new URLSearchParams(query);
  const attribute = parameters.get(ATTRIBUTE);
  if (attribute !== null && !WRITABLE.includes(attribute))
    throw new Error(`${ATTRIBUTE} must be ${WRITABLE.join(' or ')}: Hortus needs the server that accepts writes.`);
  parameters.delete(ATTRIBUTE);
  const names = hosts.split(',');
  if (names.length > MAX_SERVERS) throw new Error(`must not name more than ${MAX_SERVERS} hosts.`);
  // A single URL stays as it is, because `pg` accepts more forms than this function, such as a socket directory.
  if (names.length === 1 && attribute === null) return { urls: [single(text)], checked: false };
  const rest = parameters.size === 0 ? path : `${path}?${parameters}`;
  const login = user === undefined ? '' : `${user}@`;
  return {
    urls: names.map((name, index) => single(`${protocol}//${login}${named(name, index)}${rest}`)),
    checked: true,
  };
}

function single(url: string): string {
  if (!URL.canParse(url)) throw new Error(`must be an address such as ${EXAMPLE}; hosts are separated by commas.`);
  return url;
}

function named(host: string, index: number): string {
  if (/^(?::\d+)?$/.test(host))
    throw new Error(`names no host at position ${index + 1}; hosts are separated by commas.`);
  return host;
}

/** Describes where the servers are, without user, password and parameters. */
export function showDatabaseServers({ urls }: DatabaseServers): string {
  const [first] = urls.map((url) => new URL(url));
  return `${first?.protocol}//${urls.map((url) => new URL(url).host).join(',')}${first?.pathname}`;
}
