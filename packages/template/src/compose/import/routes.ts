import type { Input } from '@hortus/contract/template/inputs';
import type { Route } from '@hortus/contract/template/routes';
import type { Path } from '../../source/finding.ts';
import { magicOf } from './magic.ts';
import { capitals, dashed, Names } from './names.ts';

interface Wanted {
  /** Id in variables; for a published port, the name of the component. */
  id: string;
  component: string | undefined;
  port: number | undefined;
  path: string | undefined;
  scheme?: 'http' | 'https' | undefined;
  at: Path;
}

/** A way in that the file describes. */
export interface WayIn {
  readonly component: string;
  readonly port?: number | undefined;
  readonly path?: string | undefined;
  readonly scheme?: 'http' | 'https' | undefined;
}

interface Made {
  wanted: Wanted;
  route: Route;
}

const MAIN_HOST = 'WEB_HOSTNAME';
const STANDARD_PORT = 80;

/** Collects routes from address variables, and from published ports that look like HTTP. */
export class Routes {
  readonly #wanted: Wanted[] = [];
  readonly #published: Wanted[] = [];
  readonly #mentioned = new Map<string, { component: string | undefined; at: Path }>();
  #made: Made[] = [];

  /** Records that a service declares an address. */
  declare(variable: string, component: string, path: string | undefined, at: Path): void {
    const magic = magicOf(variable);
    if (magic?.kind !== 'address') return;
    this.#add(this.#wanted, { id: magic.id, component, port: magic.port, path, at });
  }

  /** Records the use of an address variable; without a declaration it belongs to the service of that name. */
  mention(variable: string, component: string | undefined, at: Path): void {
    const magic = magicOf(variable);
    if (magic?.kind === 'address' && !this.#mentioned.has(variable)) this.#mentioned.set(variable, { component, at });
  }

  publish({ component, port, scheme }: WayIn, at: Path): void {
    this.#add(this.#published, { id: component, component, port, path: undefined, scheme, at });
  }

  /** Records what the file tells a reverse proxy, or what the user has answered. */
  lead({ component, port, path, scheme }: WayIn, at: Path): void {
    this.#add(this.#wanted, { id: component, component, port, path, scheme, at });
  }

  /** Tells whether anything leads in yet. */
  get isEmpty(): boolean {
    return this.#wanted.length + this.#published.length + this.#mentioned.size === 0;
  }

  /** Determines the routes, once all requests for them are known. */
  build(
    components: readonly string[],
    portsOf: (component: string) => readonly number[],
    needed: ReadonlySet<string>,
    declared?: number,
  ): void {
    this.#adoptMentioned(components);
    const names = new Names(63, '-');
    const seen = new Set<string>();
    this.#made = [];
    // Components that others depend on are backends, so the frontend comes first.
    const behind = (wanted: Wanted) => Number(needed.has(wanted.component ?? ''));
    for (const wanted of [...this.#wanted, ...this.#published.toSorted((a, b) => behind(a) - behind(b))]) {
      const component = wanted.component ?? components[0];
      if (component === undefined) continue;
      const port =
        wanted.port ?? portsOf(component)[0] ?? (this.#made.length === 0 ? declared : undefined) ?? STANDARD_PORT;
      const path = wanted.path ?? '/';
      const magic = this.#wanted.includes(wanted);
      // Skips a published port to which an address of the file already leads.
      if (!magic && this.#made.some(({ route }) => route.component === component && route.port === port)) continue;
      if (seen.has(`${wanted.id} ${port} ${path}`)) continue;
      seen.add(`${wanted.id} ${port} ${path}`);
      const name = names.take(dashed(wanted.id, 'web'));
      const host = `\${inputs.${this.#hostInput(wanted.id, name, path)}}`;
      const scheme = wanted.scheme === 'https' ? { scheme: wanted.scheme } : {};
      this.#made.push({ wanted, route: { name, component, port, host, ...(path === '/' ? {} : { path }), ...scheme } });
    }
    const [first] = this.#made;
    if (first) first.route.primary = true;
  }

  /** One address with several paths shares a host; several ports need a host each. */
  #hostInput(id: string, name: string, path: string): string {
    const same = this.#made.find(
      ({ wanted, route }) =>
        wanted.id === id && !this.#made.some((other) => other.route.host === route.host && other.route.path === path),
    );
    if (same !== undefined && (same.route.path ?? '/') !== path) return same.route.host.slice('${inputs.'.length, -1);
    const own = `${capitals(name).slice(0, 50)}_HOSTNAME`;
    if (this.#made.length === 0) return MAIN_HOST;
    return own === MAIN_HOST ? `SECOND_${own}` : own;
  }

  all(): { route: Route; at: Path }[] {
    return this.#made.map(({ route, wanted }) => ({ route, at: wanted.at }));
  }

  inputs(): Input[] {
    const names = new Set(this.#made.map(({ route }) => route.host.slice('${inputs.'.length, -1)));
    return [...names].map((name) => ({ name, type: 'domain', label: 'Host name' }));
  }

  /** Returns the template text for an address variable. */
  address(variable: string): string {
    const magic = magicOf(variable);
    if (magic?.kind !== 'address') return '';
    const { id, port, form } = magic;
    const fits = this.#made.filter(({ wanted }) => wanted.id === id);
    const chosen = fits.find(({ route }) => port !== undefined && route.port === port) ?? fits[0] ?? this.#made[0];
    return chosen === undefined ? '' : `\${routes.${chosen.route.name}.${form}}`;
  }

  #adoptMentioned(components: readonly string[]): void {
    for (const [variable, { component, at }] of this.#mentioned) {
      const magic = magicOf(variable);
      if (magic?.kind !== 'address') continue;
      const declared = this.#wanted.filter(({ id }) => id === magic.id);
      if (declared.some(({ port }) => magic.port === undefined || port === undefined || port === magic.port)) continue;
      const owner =
        declared[0]?.component ?? components.find((name) => bareName(name) === bareName(magic.id)) ?? component;
      this.#add(this.#wanted, { id: magic.id, component: owner, port: magic.port, path: undefined, at });
    }
  }

  #add(list: Wanted[], wanted: Wanted): void {
    const known = list.find((item) => item.id === wanted.id && item.port === wanted.port && item.path === wanted.path);
    if (known === undefined) list.push(wanted);
  }
}

function bareName(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, '');
}
