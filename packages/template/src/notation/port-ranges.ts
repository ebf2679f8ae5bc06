/** A port or, with `last_port`, a range of consecutive ports; those of the server are consecutive too. */
export interface PortRange {
  container_port: number;
  last_port?: number;
  host_port?: number | string;
  host_ip?: string;
  protocol: string;
}

type Counted = Pick<PortRange, 'container_port' | 'last_port'>;

export const portCount = ({ container_port, last_port = container_port }: Counted): number =>
  last_port - container_port + 1;

export const hasPort = ({ container_port, last_port = container_port }: Counted, port: number): boolean =>
  port >= container_port && port <= last_port;

/** Formats the ports of the component, such as `10000-10100`. */
export const portText = ({ container_port, last_port }: Counted): string =>
  last_port === undefined ? String(container_port) : `${container_port}-${last_port}`;

/** Formats the ports of the server, such as `10000-10100`; only a single port may come from an input. */
export function hostPortText(port: Counted & Pick<PortRange, 'host_port'>): string | undefined {
  const { host_port, last_port } = port;
  if (typeof host_port !== 'number' || last_port === undefined) return host_port?.toString();
  return `${host_port}-${host_port + portCount(port) - 1}`;
}

/**
 * Writes out every port of every range. The first ports keep their places in the list, because pointers to secrets in a
 * manifest contain them; the others follow.
 */
export function singlePorts<Port extends PortRange>(ranges: readonly Port[]): Omit<Port, 'last_port'>[] {
  const firsts = ranges.map(({ last_port: _, ...port }) => port);
  const others = ranges.flatMap((range) => {
    const { last_port: _, container_port, host_port, ...rest } = range;
    return Array.from({ length: portCount(range) - 1 }, (_, index) => ({
      ...rest,
      container_port: container_port + index + 1,
      ...(typeof host_port === 'number' ? { host_port: host_port + index + 1 } : {}),
    }));
  });
  return [...firsts, ...(others as typeof firsts)];
}

/** Joins consecutive ports to ranges, for people: the inverse of `singlePorts`, sorted. */
export function joinedPorts<Port extends PortRange & { host_port?: number }>(ports: readonly Port[]): Port[] {
  const place = ({ protocol, host_ip, host_port }: Port) =>
    `${protocol} ${host_port === undefined ? 'inside' : (host_ip ?? '')}`;
  const sorted = [...ports].sort(
    (a, b) => compare(place(a), place(b)) || a.container_port - b.container_port || hostOf(a) - hostOf(b),
  );
  const joined: Port[] = [];
  for (const port of sorted) {
    const before = joined.at(-1);
    const length = before === undefined ? 0 : portCount(before);
    const follows =
      before !== undefined &&
      place(before) === place(port) &&
      port.container_port === before.container_port + length &&
      hostOf(port) === (port.host_port === undefined ? 0 : hostOf(before) + length);
    if (follows) before.last_port = port.container_port;
    else joined.push({ ...port });
  }
  return joined;
}

const hostOf = ({ host_port = 0 }: { host_port?: number }): number => host_port;
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
