import type { PublishedPort } from '@hortus/contract/template/host-access';
import type { Path } from '../../finding.ts';
import { isMapping } from '../../schema-check.ts';
import { listOf } from './entries.ts';
import { type Piece, settle } from './interpolation.ts';
import { wholeNumber } from './quantities.ts';
import type { Reading } from './reading.ts';
import { scalarText } from './scalars.ts';

/** Maximum number of ports of one component, and of a range. */
const MOST = 100;

/** Well-known ports of protocols other than HTTP. */
const OTHER_PROTOCOLS = new Set([
  21, 22, 23, 25, 53, 88, 110, 111, 123, 135, 139, 143, 161, 389, 445, 465, 514, 587, 636, 853, 993, 995, 1080, 1194,
  1433, 1521, 1883, 2049, 2222, 3306, 3389, 3478, 4222, 4333, 5044, 5060, 5222, 5269, 5349, 5432, 5433, 5671, 5672,
  6379, 6432, 6667, 6697, 7687, 8883, 9042, 9092, 9094, 9418, 11211, 19132, 25565, 26379, 27015, 27017, 33060, 50000,
  51820, 61613,
]);
const DATABASES =
  /(^|\/)(postgres|postgis|pgvector|timescaledb|mysql|mariadb|mongo|redis|valkey|keydb|dragonfly|memcached|rabbitmq|kafka|zookeeper|nats|etcd|cassandra|mosquitto)[^/]*$/;

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
  for (const { item, path: at } of listOf(service.ports, [...path, 'ports'])) {
    for (const port of publishedPorts(reading, item, at)) {
      const { host_port, ...inside } = port;
      const web = looksLikeWeb(port, image);
      if (web) reading.routes.publish(component, port.container_port, at);
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
    for (const port of publishedPorts(reading, item, at)) {
      const { host_port: _, ...inside } = port;
      add(inside, at);
    }
  }
  return ports;
}

export function looksLikeWeb({ container_port, protocol, host_ip }: PublishedPort, image: string): boolean {
  if (protocol === 'udp' || host_ip !== undefined || OTHER_PROTOCOLS.has(container_port)) return false;
  return !DATABASES.test(image.replace(/[@:][^/]*$/, ''));
}

function publishedPorts(reading: Reading, item: unknown, path: Path): PublishedPort[] {
  if (isMapping(item)) return longForm(reading, item, path);
  const pieces = reading.pieces(item, path);
  if (pieces === undefined) {
    reading.notes.drop(path, 'is not a port');
    return [];
  }
  const [parts, protocol] = shortForm(pieces);
  const container = parts.at(-1) ?? [];
  const host = parts.length > 1 ? parts.at(-2) : undefined;
  const ip = parts.length > 2 ? reading.settled(textOf(parts.slice(0, -2)), path) : undefined;
  return combined(reading, container, host, protocol, ip, path);
}

function longForm(reading: Reading, item: Record<string, unknown>, path: Path): PublishedPort[] {
  const container = reading.pieces(item.target, [...path, 'target']) ?? [];
  const host =
    item.published === undefined ? undefined : (reading.pieces(item.published, [...path, 'published']) ?? []);
  const protocol = reading.settled(item.protocol ?? 'tcp', [...path, 'protocol']) ?? 'tcp';
  const ip = item.host_ip === undefined ? undefined : reading.settled(item.host_ip, [...path, 'host_ip']);
  if (item.mode === 'host') reading.notes.infer([...path, 'mode'], 'ports are always published on the server');
  return combined(reading, container, host, protocol, ip, path);
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

function combined(
  reading: Reading,
  container: readonly Piece[],
  host: readonly Piece[] | undefined,
  protocol: string,
  ip: string | undefined,
  path: Path,
): PublishedPort[] {
  const targets = range(settle(container));
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
