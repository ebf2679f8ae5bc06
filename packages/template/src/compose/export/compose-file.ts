import type { Manifest, ManifestComponent } from '@hortus/contract/template/manifest';

/** Builds a Compose file, service by service. */
export class ComposeFile {
  readonly dropped: string[] = [];
  readonly manifest: Manifest;
  readonly #names: ReadonlyMap<string, string>;
  readonly #services: Record<string, unknown> = {};
  readonly #volumes = new Set<string>();
  readonly #configs: Record<string, { content: string }> = {};
  readonly #texts: string;

  constructor(manifest: Manifest, names: ReadonlyMap<string, string>) {
    this.manifest = manifest;
    this.#names = names;
    this.#texts = JSON.stringify(manifest.components);
  }

  add(component: ManifestComponent, service: Record<string, unknown>): void {
    this.#services[this.serviceOf(component.name)] = service;
  }

  serviceOf(component: string): string {
    return this.#names.get(component) ?? component;
  }

  volume(name: string): string {
    this.#volumes.add(name);
    return name;
  }

  config(component: string, content: string): string {
    const name = `${component}-${Object.keys(this.#configs).length + 1}`;
    this.#configs[name] = { content: escaped(content) };
    return name;
  }

  /** Returns further names of a service: its aliases, and the host if texts of the template refer to it. */
  aliasesOf({ name, host, aliases = [] }: ManifestComponent): string[] {
    const mentioned = this.#texts.split(host).length > 2 ? [host] : [];
    return [...aliases, ...mentioned].filter((alias) => alias !== this.serviceOf(name));
  }

  /** Returns the ports of routes. Compose has no ingress, so these are published, on the same port if that is free. */
  routedPorts(component: string): number[] {
    return [...new Set(this.manifest.routes.filter((route) => route.component === component).map(({ port }) => port))];
  }

  isFree(port: number, component: string): boolean {
    const fixed = this.manifest.components.some(({ ports }) => ports.some(({ host_port }) => host_port === port));
    const first = this.manifest.routes.find((route) => route.port === port)?.component;
    return !fixed && first === component;
  }

  content(): Record<string, unknown> {
    return {
      name: this.manifest.species,
      services: this.#services,
      ...(this.#volumes.size > 0 ? { volumes: Object.fromEntries([...this.#volumes].map((name) => [name, {}])) } : {}),
      ...(Object.keys(this.#configs).length > 0 ? { configs: this.#configs } : {}),
    };
  }
}

/** Escapes `$` as `$$`, because Compose interpolates variables. */
export function escaped(text: string): string {
  return text.replaceAll('$', '$$$$');
}
