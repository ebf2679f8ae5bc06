import type { PublishedPort } from '@hortus/contract/template/host-access';
import type { Path } from '../../finding.ts';
import { isMapping } from '../../schema-check.ts';
import { listOf } from './entries.ts';
import { type Piece, settle } from './interpolation.ts';
import { knownPort } from './known-images.ts';
import { protocolOf } from './protocols.ts';
import { wholeNumber } from './quantities.ts';
import type { Reading } from './reading.ts';
import { scalarText } from './scalars.ts';

/** Maximum number of ports of one component, and of a range. */
const MOST = 100;

interface Pair {
  container: number;
  host: number | string | undefined;
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
    const same = (one: PublishedPort) =>
      one.container_port === port.container_port && (one.protocol ?? 'tcp') === (port.protocol ?? 'tcp');
    const known = ports.findIndex((one) => same(one) && (port.host_port === undefined || one.host_port === undefined));
    if (ports.some((one) => same(one) && one.host_port === port.host_port)) return;
    if (known !== -1 && port.host_port === undefined) return;
    if (known !== -1) ports.splice(known, 1);
    if (ports.length < MOST) ports.push(port);
    else reading.notes.drop(at, `a component has at most ${MOST} ports`);
  };
  const published = listOf(service.ports, [...path, 'ports']).map(({ item, path: at }) => ({
    at,
    ports: publishedPorts(reading, item, at, image),
  }));
  const overUdp = new Set(
    published.flatMap(({ ports: some }) =>
      some.filter(({ protocol }) => protocol === 'udp').map((port) => port.container_port),
    ),
  );
  for (const { at, ports: some } of published) {
    for (const port of some) {
      const { host_port, ...inside } = port;
      // A range, or a port that is open for UDP too, belongs to another protocol.
      const isRaw = some.length > 1 || overUdp.has(port.container_port);
      const web = isRaw ? undefined : webProtocol(port, image);
      if (web) reading.routes.publish({ component, port: port.container_port, scheme: web }, at);
      if (web && reading.gathering === false && host_port !== undefined) {
        reading.notes.infer(at, `port ${host_port} of the server becomes a route to port ${port.container_port}`);
      }
      add(web ? inside : port, at);
      if (!web && host_port !== undefined) {
        const value = `${host_port}${port.protocol === 'udp' ? '/udp' : ''}`;
        reading.permit('host_port', component, value, `publishes port ${port.container_port}`);
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
  if (targets.length > MOST) {
    reading.notes.drop(path, `a range of ${targets.length} ports exceeds the ${MOST} ports of a component`);
    return [];
  }
  if (container.some((piece) => typeof piece === 'object')) reading.settled(textOf([container]), path);
  return pairs(reading, targets, host, path).map(({ container: container_port, host: host_port }) => ({
    container_port,
    ...(host_port === undefined ? {} : { host_port }),
    ...(protocol === 'udp' ? { protocol } : {}),
    ...(ip === undefined || ip === '' || ip === '0.0.0.0' || host_port === undefined
      ? {}
      : { host_ip: ip.replace(/^\[|\]$/g, '') }),
  }));
}

/** The port of a well-known image is the value of a variable that stands for it and has none. */
function assumed(reading: Reading, [only, ...others]: readonly Piece[], image: string): number[] | undefined {
  const port = knownPort(image);
  if (port === undefined || typeof only !== 'object' || only.operator !== undefined || others.length > 0)
    return undefined;
  reading.assume(only.name, String(port));
  return [port];
}

function pairs(reading: Reading, targets: number[], host: readonly Piece[] | undefined, path: Path): Pair[] {
  if (host === undefined || host.length === 0) return targets.map((container) => ({ container, host: undefined }));
  const [only] = host;
  if (targets.length === 1 && host.length === 1 && typeof only === 'object' && only.operator !== '+') {
    return [{ container: targets[0] as number, host: hostPort(reading, host, path) }];
  }
  const sources = range(reading.settled(textOf([host]), path));
  if (sources === undefined || (sources.length !== targets.length && targets.length !== 1)) {
    reading.notes.drop(path, 'the port of the server is omitted: it is not a number, or a range of another length');
    return targets.map((container) => ({ container, host: undefined }));
  }
  if (sources.length > targets.length) {
    reading.notes.infer(path, `the first port of the range, ${sources[0]}, is used`);
    return [{ container: targets[0] as number, host: sources[0] }];
  }
  return targets.map((container, index) => ({ container, host: sources[index] }));
}

/** Returns a fixed port that the user may choose; omitted if it has no value. */
function hostPort(reading: Reading, host: readonly Piece[], path: Path): string | number | undefined {
  const text = reading.write(host, path, 'port').replace(/:-\}$/, '}');
  return /^\$\{[^{}]+\}$/.test(text) ? text : wholeNumber(settle(host));
}

function range(text: string | undefined): number[] | undefined {
  const found = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec((text ?? '').trim());
  if (found === null) return undefined;
  const first = Number(found[1]);
  const last = Number(found[2] ?? found[1]);
  if (first < 1 || last > 65_535 || last < first) return undefined;
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** Formats pieces as Compose would write them. */
function textOf(parts: readonly (readonly Piece[])[]): string {
  const piece = (one: Piece): string =>
    typeof one === 'string'
      ? scalarText(one).replaceAll('$', '$$$$')
      : `\${${one.name}${one.operator ? `${one.colon ? ':' : ''}${one.operator}` : ''}${one.operand.map(piece).join('')}}`;
  return parts.map((part) => part.map(piece).join('')).join(':');
}
