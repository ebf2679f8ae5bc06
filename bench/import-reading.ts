import { parse, type ScalarTag } from 'yaml';

/**
 * Reads a Compose file by its specification without sharing code with the importer, so that both cannot make the same mistake.
 */
export interface Service {
  image: string | undefined;
  env: Map<string, string>;
  mounts: Map<string, Mount>;
  ports: Port[];
  depends: Map<string, string>;
}

export interface Mount {
  /** project: a path next to the Compose file; it can be a file or a folder. */
  kind: 'volume' | 'project' | 'host' | 'file' | 'memory';
  source: string;
  readOnly: boolean;
}

export interface Port {
  container: number;
  protocol: string;
  host: number | undefined;
}

/** Returns the value of a variable; undefined if not set. */
export type Surroundings = (name: string) => string | undefined;

/** Reads the values of an env file. */
export function valuesOf(content: string | undefined): Surroundings {
  const values = new Map<string, string>();
  for (const line of (content ?? '').split('\n')) {
    const [, key, value = ''] = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    const plain = /^'([^']*)'|^"([^"]*)"/.exec(value);
    if (key !== undefined) values.set(key, plain ? (plain[1] ?? plain[2] ?? '') : value.replace(/\s#.*$/, '').trim());
  }
  return (name) => values.get(name);
}

type Raw = Record<string, unknown>;
const isRaw = (value: unknown): value is Raw => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Compose parses a leading zero as octal. */
const octal: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  test: /^0[0-7]+$/,
  identify: () => false,
  resolve: (text) => Number.parseInt(text, 8),
};

export function parseCompose(text: string): Raw {
  const value: unknown = parse(text, { merge: true, customTags: (tags) => [octal, ...tags], logLevel: 'silent' });
  if (!isRaw(value) || !isRaw(value.services)) throw new Error('no services');
  return value;
}

/** Lists the services that run without a profile. */
export function readServices(file: Raw, around: Surroundings): Map<string, Service> {
  const filled = fillAll(file, around) as Raw;
  const services = new Map<string, Service>();
  for (const [name, service] of Object.entries(filled.services as Raw)) {
    if (!isRaw(service) || (Array.isArray(service.profiles) && service.profiles.length > 0)) continue;
    services.set(name, {
      image: typeof service.image === 'string' ? service.image.trim() : undefined,
      env: environment(service.environment, around),
      mounts: mounts(service, filled, name),
      ports: service.network_mode === 'host' ? [] : ports(service),
      depends: dependencies(service),
    });
  }
  for (const { depends } of services.values()) {
    for (const name of depends.keys()) if (!services.has(name)) depends.delete(name);
  }
  return services;
}

function fillAll(value: unknown, around: Surroundings, key = ''): unknown {
  // A peer writes files into its volumes unchanged.
  if (typeof value === 'string') return key === 'content' && !value.includes('$$') ? value : fillText(value, around);
  if (Array.isArray(value)) return value.map((item) => fillAll(item, around));
  if (!isRaw(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fillAll(inner, around, name)]));
}

/** Substitutes variables as in the Compose specification, innermost first. */
export function fillText(text: string, around: Surroundings): string {
  const DOLLAR = '\u0000';
  // Names without braces first: they can stand in the default of another variable.
  let rest = text.replaceAll('$$', DOLLAR).replace(/\$([A-Za-z_]\w*)/g, (_, name: string) => around(name) ?? '');
  for (let round = 0; round < 1000; round++) {
    const before = rest;
    rest = rest.replace(
      /\$\{([A-Za-z_]\w*)(?:(:?[-?+])([^${}]*(?:\$(?![{A-Za-z_])[^${}]*)*))?\}/,
      (_, name: string, operator?: string, word = '') => {
        const value = around(name);
        const set = value !== undefined && !(operator?.startsWith(':') && value === '');
        if (operator?.endsWith('-')) return set ? (value ?? '') : word;
        if (operator?.endsWith('+')) return set ? word : '';
        return value ?? '';
      },
    );
    if (rest === before) break;
  }
  return rest.replaceAll(DOLLAR, '$');
}

function pairs(value: unknown): [string, unknown][] {
  if (isRaw(value)) return Object.entries(value);
  if (!Array.isArray(value)) return [];
  return value.flatMap((item): [string, unknown][] => {
    if (isRaw(item)) return Object.entries(item);
    const [, key = '', input] = /^([^=]*)(?:=([\s\S]*))?$/.exec(String(item)) ?? [];
    return [[key.trim(), input ?? null]];
  });
}

function environment(value: unknown, around: Surroundings): Map<string, string> {
  const env = new Map<string, string>();
  for (const [key, input] of pairs(value)) {
    if (input !== null) env.set(key, String(input));
    else if (around(key) !== undefined) env.set(key, around(key) ?? '');
  }
  return env;
}

function mounts(service: Raw, file: Raw, owner: string): Map<string, Mount> {
  const found = new Map<string, Mount>();
  for (const item of (Array.isArray(service.volumes_from) ? service.volumes_from : []) as unknown[]) {
    const [from = ''] = String(item).split(':');
    const other = (file.services as Raw)[from];
    if (isRaw(other)) for (const [target, mount] of mounts(other, file, from)) found.set(target, mount);
  }
  const put = (target: string, mount: Mount) => found.set(target.trim().replace(/(.)\/+$/, '$1'), mount);
  for (const item of (Array.isArray(service.volumes) ? service.volumes : []) as unknown[]) {
    if (isRaw(item)) {
      const target = String(item.target ?? item.destination ?? '');
      const readOnly = item.read_only === true || item.read_only === 'true';
      if (typeof item.content === 'string') put(target, { kind: 'file', source: item.content, readOnly });
      else if (item.type === 'tmpfs') put(target, { kind: 'memory', source: '', readOnly: false });
      else
        put(target, {
          ...sourceOf(String(item.source ?? ''), item.type === 'bind', `${owner} ${target}`, file),
          readOnly,
        });
      continue;
    }
    const parts = String(item).split(':');
    const [source, target = '', options = ''] = parts.length === 1 ? ['', parts[0]] : parts;
    put(target, {
      ...sourceOf(source ?? '', false, `${owner} ${target}`, file),
      readOnly: options.split(',').includes('ro'),
    });
  }
  for (const item of [service.tmpfs ?? []].flat())
    put(String(item).split(':')[0] ?? '', { kind: 'memory', source: '', readOnly: false });
  for (const section of ['configs', 'secrets']) {
    for (const item of (Array.isArray(service[section]) ? service[section] : []) as unknown[]) {
      const source = isRaw(item) ? String(item.source) : String(item);
      const declared = isRaw(item) && item.target !== undefined ? String(item.target) : source;
      put(declared.startsWith('/') ? declared : `${section === 'secrets' ? '/run/secrets' : ''}/${declared}`, {
        kind: 'file',
        source,
        readOnly: true,
      });
    }
  }
  return found;
}

function sourceOf(source: string, bind: boolean, place: string, file: Raw): Pick<Mount, 'kind' | 'source'> {
  if (source === '') return bind ? { kind: 'host', source } : { kind: 'volume', source: `nameless ${place}` };
  if (source.startsWith('/') || source.startsWith('~')) return { kind: 'host', source };
  if (bind || source.startsWith('.') || source.includes('/'))
    return { kind: 'project', source: source.replace(/\/+$/, '') };
  const declared = isRaw(file.volumes) ? file.volumes[source] : undefined;
  const options = isRaw(declared) && isRaw(declared.driver_opts) ? declared.driver_opts : {};
  if (String(options.o ?? '').includes('bind')) return { kind: 'host', source: String(options.device) };
  return { kind: 'volume', source };
}

function ports(service: Raw): Port[] {
  const found = new Map<string, Port>();
  const put = (port: Port) => {
    const key = `${port.container}/${port.protocol}`;
    const known = found.get(key);
    if (known === undefined || known.host === undefined) found.set(key, port);
    else if (port.host !== undefined && port.host !== known.host) found.set(`${port.host}:${key}`, port);
  };
  for (const item of (Array.isArray(service.ports) ? service.ports : []) as unknown[]) {
    const text = isRaw(item)
      ? `${item.published === undefined ? '' : `${item.published}:`}${item.target}/${item.protocol ?? 'tcp'}`
      : String(item);
    spread(text).forEach(put);
  }
  for (const item of (Array.isArray(service.expose) ? service.expose : []) as unknown[])
    spread(String(item)).forEach(put);
  return [...found.values()];
}

/** Parses `[ip:][host:]container[/protocol]` with ranges. */
function spread(text: string): Port[] {
  const [, , hostFirst, , first = '', last = first, protocol = 'tcp'] =
    /^(\[.*\]:|[\d.]+\.[\d.]+:)?(?:(\d+)?(?:-(\d+))?:)?(\d+)(?:-(\d+))?(?:\/(\w+))?$/.exec(text.trim()) ?? [];
  if (first === '') {
    // A variable without a value outside, a number inside.
    const inside = /:(\d+)(?:\/(\w+))?$/.exec(text.trim());
    if (inside) return [{ container: Number(inside[1]), protocol: inside[2] ?? 'tcp', host: undefined }];
    return [{ container: Number.NaN, protocol: text, host: undefined }];
  }
  return Array.from({ length: Math.min(Number(last) - Number(first), 70_000) + 1 }, (_, index) => ({
    container: Number(first) + index,
    protocol,
    host: hostFirst === undefined ? undefined : Number(hostFirst) + index,
  }));
}

/** Collects dependencies; links and volumes_from also order services. */
function dependencies(service: Raw): Map<string, string> {
  const depends = new Map<string, string>();
  for (const item of [...pairs(service.depends_on)]) {
    depends.set(item[0], isRaw(item[1]) ? String(item[1].condition ?? 'service_started') : 'service_started');
  }
  for (const list of [service.links, service.volumes_from]) {
    for (const item of Array.isArray(list) ? list : []) {
      const [name = ''] = String(item).split(':');
      if (!depends.has(name)) depends.set(name, 'service_started');
    }
  }
  return depends;
}
