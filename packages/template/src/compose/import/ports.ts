import { MAX_PORTS, type PublishedPort } from '@hortus/contract/template/host-access';
import { hasPort, hostPortText, portCount, portText } from '../../notation/port-ranges.ts';
import { isMapping } from '../../schema/schema-check.ts';
import type { Path } from '../../source/finding.ts';
import { listOf } from './entries.ts';
import { type Piece, settle } from './interpolation.ts';
import { knownPort } from './known-images.ts';
import { protocolOf } from './protocols.ts';
import { wholeNumber } from './quantities.ts';
import type { Reading } from './reading.ts';
import { scalarText } from './scalars.ts';

/** Maximum number of entries in `ports`; a range is one. */
const MAX_ENTRIES = 100;
const ALTERNATIVE = 'with network_mode: host it would need none';

interface Range {
  readonly first: number;
  readonly last: number;
}

/** Reads `ports` and `expose`. A port that looks like HTTP becomes a route, which replaces its fixed port. */
export function readPorts(
  reading: Reading,
  service: Record<string, unknown>,
  component: string,
  image: string,
  path: Path,
): PublishedPort[] {
  const ports: PublishedPort[] = [];
  const add = (port: PublishedPort, at: Path) => {
    const speaksAlike = (item: PublishedPort) => (item.protocol ?? 'tcp') === (port.protocol ?? 'tcp');
    const same = (item: PublishedPort) =>
      item.container_port === port.container_port && item.last_port === port.last_port && speaksAlike(item);
    const isInside = (item: PublishedPort) => speaksAlike(item) && hasPort(item, port.container_port);
    if (port.host_port === undefined && port.last_port === undefined && ports.some(isInside)) return;
    const known = ports.findIndex(
      (item) => same(item) && (port.host_port === undefined || item.host_port === undefined),
    );
    if (ports.some((item) => same(item) && item.host_port === port.host_port)) return;
    if (known !== -1 && port.host_port === undefined) return;
    if (known !== -1) ports.splice(known, 1);
    const count = [...ports, port].reduce((sum, item) => sum + portCount(item), 0);
    if (count > MAX_PORTS) reading.notes.drop(at, `a component has at most ${MAX_PORTS} ports; ${ALTERNATIVE}`);
    else if (ports.length === MAX_ENTRIES) reading.notes.drop(at, `ports has at most ${MAX_ENTRIES} entries`);
    else ports.push(port);
  };
  const published = listOf(service.ports, [...path, 'ports']).map(({ item, path: at }) => ({
    at,
    ports: publishedPorts(reading, item, at, image),
  }));
  const overUdp = published.flatMap(({ ports: some }) => some.filter(({ protocol }) => protocol === 'udp'));
  for (const { at, ports: some } of published) {
    for (const port of some) {
      const { host_port, ...inside } = port;
      // A range, or a port that is open for UDP too, belongs to another protocol.
      const isRaw = port.last_port !== undefined || overUdp.some((item) => hasPort(item, port.container_port));
      const web = isRaw ? undefined : webProtocol(port, image);
      if (web) reading.routes.publish({ component, port: port.container_port, scheme: web }, at);
      if (web && reading.gathering === false && host_port !== undefined) {
        reading.notes.infer(at, `port ${host_port} of the server becomes a route to port ${port.container_port}`);
      }
      add(web ? inside : port, at);
      if (!web && host_port !== undefined) {
        const value = `${hostPortText(port)}${port.protocol === 'udp' ? '/udp' : ''}`;
        reading.permit('host_port', component, value, `publishes port ${portText(port)}`);
      }
    }
  }
  for (const { item, path: at } of listOf(service.expose, [...path, 'expose'])) {
    for (const port of publishedPorts(reading, item, at, image)) {
      const { host_port: _, ...inside } = port;
      add(inside, at);
    }
  }
  return ports;
}

/** Tells what a published port speaks if it can become a route; a port on one address of the server stays there. */
function webProtocol(
  { container_port, protocol, host_ip }: PublishedPort,
  image: string,
): 'http' | 'https' | undefined {
  if (protocol === 'udp' || host_ip !== undefined) return undefined;
  const spoken = protocolOf(container_port, image);
  return spoken === 'other' ? undefined : spoken;
}

function publishedPorts(reading: Reading, item: unknown, path: Path, image: string): PublishedPort[] {
  if (isMapping(item)) return longForm(reading, item, path, image);
  const pieces = reading.pieces(item, path);
  if (pieces === undefined) {
    reading.notes.drop(path, 'is not a port');
    return [];
  }
  const [parts, protocol] = shortForm(pieces);
  const container = parts.at(-1) ?? [];
  const host = parts.length > 1 ? parts.at(-2) : undefined;
  const ip = parts.length > 2 ? reading.settled(textOf(parts.slice(0, -2)), path) : undefined;
  return combined(reading, { container, host, protocol, ip, image }, path);
}

function longForm(reading: Reading, item: Record<string, unknown>, path: Path, image: string): PublishedPort[] {
  const container = reading.pieces(item.target, [...path, 'target']) ?? [];
  const host =
    item.published === undefined ? undefined : (reading.pieces(item.published, [...path, 'published']) ?? []);
  const protocol = reading.settled(item.protocol ?? 'tcp', [...path, 'protocol']) ?? 'tcp';
  const ip = item.host_ip === undefined ? undefined : reading.settled(item.host_ip, [...path, 'host_ip']);
  if (item.mode === 'host') reading.notes.infer([...path, 'mode'], 'ports are always published on the server');
  return combined(reading, { container, host, protocol, ip, image }, path);
}

/** Splits `ip:host:container/protocol` at the colons outside of variables. */
function shortForm(pieces: readonly Piece[]): [Piece[][], string] {
  const parts: Piece[][] = [[]];
  let bracket = false;
  for (const piece of pieces) {
    if (typeof piece !== 'string') {
      parts.at(-1)?.push(piece);
      continue;
    }
    let word = '';
    for (const sign of piece) {
      if (sign === '[') bracket = true;
      else if (sign === ']') bracket = false;
      if (sign === ':' && !bracket) {
        if (word !== '') parts.at(-1)?.push(word);
        word = '';
        parts.push([]);
      } else word += sign;
    }
    if (word !== '') parts.at(-1)?.push(word);
  }
  const last = parts.at(-1) ?? [];
  const tail = last.at(-1);
  const found = typeof tail === 'string' ? /^(.*)\/(tcp|udp|sctp)$/i.exec(tail) : null;
  if (found === null) return [parts, 'tcp'];
  last.splice(-1, 1, ...(found[1] ? [found[1]] : []));
  return [parts, (found[2] ?? 'tcp').toLowerCase()];
}

interface Written {
  readonly container: readonly Piece[];
  readonly host: readonly Piece[] | undefined;
  readonly protocol: string;
  readonly ip: string | undefined;
  readonly image: string;
}

function combined(reading: Reading, { container, host, protocol, ip, image }: Written, path: Path): PublishedPort[] {
  const targets = range(settle(container)) ?? assumed(reading, container, image);
  if (targets === undefined || (protocol !== 'tcp' && protocol !== 'udp')) {
    const why = targets === undefined ? 'its number comes from a variable' : `${protocol} is neither tcp nor udp`;
    reading.notes.drop(path, `the port is omitted: ${why}`);
    return [];
  }
  const count = countOf(targets);
  if (count > MAX_PORTS) {
    const why = `a range of ${count} ports exceeds the ${MAX_PORTS} ports of a component`;
    reading.notes.drop(path, `${why}; ${ALTERNATIVE}`);
    return [];
  }
  if (container.some((piece) => typeof piece === 'object')) reading.settled(textOf([container]), path);
  const host_port = hostOf(reading, targets, host, path);
  return [
    {
      container_port: targets.first,
      ...(count > 1 ? { last_port: targets.last } : {}),
      ...(host_port === undefined ? {} : { host_port }),
      ...(protocol === 'udp' ? { protocol } : {}),
      ...(ip === undefined || ip === '' || ip === '0.0.0.0' || host_port === undefined
        ? {}
        : { host_ip: ip.replace(/^\[|\]$/g, '') }),
    },
  ];
}

/** The port of a well-known image is the value of a variable that stands for it and has none. */
function assumed(reading: Reading, [only, ...others]: readonly Piece[], image: string): Range | undefined {
  const port = knownPort(image);
  if (port === undefined || typeof only !== 'object' || only.operator !== undefined || others.length > 0)
    return undefined;
  reading.assume(only.name, String(port));
  return { first: port, last: port };
}

/** Returns the port of the server, the first one for a range. */
function hostOf(
  reading: Reading,
  targets: Range,
  host: readonly Piece[] | undefined,
  path: Path,
): string | number | undefined {
  if (host === undefined || host.length === 0) return undefined;
  const [only] = host;
  const wanted = countOf(targets);
  if (wanted === 1 && host.length === 1 && typeof only === 'object' && only.operator !== '+') {
    return hostPort(reading, host, path);
  }
  const sources = range(reading.settled(textOf([host]), path));
  if (sources === undefined || (countOf(sources) !== wanted && wanted !== 1)) {
    reading.notes.drop(path, 'the port of the server is omitted: it is not a number, or a range of another length');
    return undefined;
  }
  if (countOf(sources) > wanted) reading.notes.infer(path, `the first port of the range, ${sources.first}, is used`);
  return sources.first;
}

/** Returns a fixed port that the user may choose; omitted if it has no value. */
function hostPort(reading: Reading, host: readonly Piece[], path: Path): string | number | undefined {
  const text = reading.write(host, path, 'port').replace(/:-\}$/, '}');
  return /^\$\{[^{}]+\}$/.test(text) ? text : wholeNumber(settle(host));
}

const countOf = ({ first, last }: Range): number => last - first + 1;

function range(text: string | undefined): Range | undefined {
  const found = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec((text ?? '').trim());
  if (found === null) return undefined;
  const first = Number(found[1]);
  const last = Number(found[2] ?? found[1]);
  if (first < 1 || last > 65_535 || last < first) return undefined;
  return { first, last };
}

/** Formats pieces as Compose would write them. */
function textOf(parts: readonly (readonly Piece[])[]): string {
  const piece = (item: Piece): string =>
    typeof item === 'string'
      ? scalarText(item).replaceAll('$', '$$$$')
      : `\${${item.name}${item.operator ? `${item.colon ? ':' : ''}${item.operator}` : ''}${item.operand.map(piece).join('')}}`;
  return parts.map((part) => part.map(piece).join('')).join(':');
}
