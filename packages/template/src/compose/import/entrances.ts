import type { Component } from '@hortus/contract/template/component';
import { isMapping } from '../../schema/schema-check.ts';
import { entriesOf } from './entries.ts';
import { knownPort } from './known-images.ts';
import { protocolOf, speaksNoHttp } from './protocols.ts';
import { portNumber } from './quantities.ts';
import type { Reading } from './reading.ts';

/** Components that only work for others, by their name or what they run. */
const WORKERS = new Set(
  'worker workers celery sidekiq beat cron scheduler queue consumer init setup seed job jobs runner agent backup bot cloudflared tunnel watchtower autoheal diun newt exporter collector vector promtail mc curl busybox alpine tailscale gluetun'.split(
    ' ',
  ),
);
const WORKER_FAMILY = /^(migrat|ddns|otel|fluent)\w*$/;

const LOCAL = String.raw`(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\])`;
const LOCAL_URL = new RegExp(String.raw`https?://${LOCAL}(?::(\d{2,5}))?(?![\d:])`);
const LOCAL_PORT = new RegExp(String.raw`(?:/dev/tcp/${LOCAL}/|${LOCAL}[ :])(\d{2,5})\b`);
const PORT_FLAG =
  /--(?:http[-_]?)?(?:port|listen(?:[-_]addr(?:ess)?)?|bind|addr(?:ess)?)[= ]"?(?:[\w.*-]{0,64}:)?(\d{2,5})\b|(?:^| )-p[= ]?(\d{2,5})\b/;
const PORT_VARIABLE =
  /^(PORT|(HTTP|WEB|WEBUI|UI|APP|SERVER|LISTEN|APPLICATION|NODE|API|GUI|WEB_SERVER|SERVER_HTTP|LISTENING)_PORT|ASPNETCORE_(HTTP_PORTS|URLS)|NUXT_PORT|ROCKET_PORT|\w+_HTTP_PORT)$/i;

/** One service that may be opened in a browser, with what the file says about its port. */
interface Entrance {
  readonly service: string;
  readonly component: string;
  readonly port: number | undefined;
}

/** What leads into a file without published ports and without a word for a reverse proxy. */
export interface Entrances {
  readonly found: readonly Required<{ [K in keyof Entrance]: NonNullable<Entrance[K]> }>[];
  /** The service whose port must be asked for; undefined if one was found, or if nothing needs a way in. */
  readonly unknown: Pick<Entrance, 'service' | 'component'> | undefined;
}

/** Finds the services that people open, from the ports, the health check, the settings and the image of each. */
export function findEntrances(
  reading: Reading,
  services: Record<string, unknown>,
  components: Record<string, Component>,
): Entrances {
  const needed = new Set(Object.values(components).flatMap(({ depends_on = {} }) => Object.keys(depends_on)));
  const images = new Set<string>();
  const candidates = [...reading.components].flatMap(([service, component]): Entrance[] => {
    const read = components[component];
    const raw = services[service];
    if (read === undefined || read.kind === 'job' || !isMapping(raw) || isWorker(service, read)) return [];
    return [{ service, component, port: portOf(reading, read, raw) }];
  });
  const inFront = candidates.filter(({ component }) => !needed.has(component));
  const ordered = inFront.some(({ port }) => port !== undefined) ? inFront : [...inFront, ...candidates];
  const found = ordered.filter((entrance): entrance is Entrances['found'][number] => {
    const image = String(components[entrance.component]?.image);
    // Several components of one image are the application and its workers.
    if (entrance.port === undefined || images.has(image)) return false;
    images.add(image);
    return true;
  });
  const front = found.filter(({ component }) => !needed.has(component));
  const ways = front.length > 0 ? front : found.slice(0, 1);
  return { found: ways, unknown: ways.length > 0 ? undefined : ordered[0] };
}

function namesWorker(text: string): boolean {
  const words = text
    .toLowerCase()
    .split(/[-_ /]/)
    .map((word) => word.split(':', 1)[0] ?? '');
  return words.some(
    (word, index) =>
      WORKERS.has(word) || WORKER_FAMILY.test(word) || (word === 'proxy' && words[index - 1] === 'socket'),
  );
}

function isWorker(service: string, { image, command = [], network, ports = [] }: Component): boolean {
  if (network === 'host' || speaksNoHttp(String(image))) return true;
  if (ports.some((port) => port.last_port === undefined && protocolOf(port.container_port, '') !== 'other'))
    return false;
  const name = String(image)
    .replace(/@.*/s, '')
    .replace(/:[^/:]*$/, '');
  if (knownPort(String(image)) !== undefined) return namesWorker(service) || namesWorker(command.join(' '));
  return (
    namesWorker(service) || namesWorker(name.split('/').at(-1) ?? '') || namesWorker(command.slice(0, 3).join(' '))
  );
}

/** Returns the port on which a component probably answers HTTP. */
export function portOf(reading: Reading, component: Component, service: Record<string, unknown>): number | undefined {
  const image = String(component.image);
  const exposed = (component.ports ?? []).filter(
    ({ protocol, last_port }) => protocol !== 'udp' && last_port === undefined,
  );
  const isWeb = (port: number | undefined) => port !== undefined && protocolOf(port, image) !== 'other';
  const declared = [
    ...exposed.map(({ container_port }) => container_port),
    ...portVariables(reading, service),
    flagged([...(component.entrypoint ?? []), ...(component.command ?? [])].join(' ')),
    knownPort(image),
    probed((component.healthcheck?.test ?? []).join(' ')),
  ];
  return declared.find(isWeb);
}

function portVariables(reading: Reading, service: Record<string, unknown>): (number | undefined)[] {
  return entriesOf(service.environment, [])
    .filter(({ key }) => PORT_VARIABLE.test(key))
    .map(({ value }) => portNumber(/(\d{2,5})$/.exec(reading.plain(value) ?? '')?.[1]));
}

function flagged(command: string): number | undefined {
  const [, long, short] = PORT_FLAG.exec(command) ?? [];
  return portNumber(long ?? short);
}

function probed(test: string): number | undefined {
  const url = LOCAL_URL.exec(test);
  return url ? portNumber(url[1] ?? '80') : portNumber(LOCAL_PORT.exec(test)?.[1]);
}
