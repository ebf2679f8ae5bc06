import type { Manifest, ManifestComponent } from '@hortus/contract/template/manifest';

/** A Compose file as it grows, service by service. */
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

  /** Names beside that of the service: further aliases, and the host that texts of the template may refer to. */
  aliasesOf({ name, host, aliases = [] }: ManifestComponent): string[] {
    const mentioned = this.#texts.split(host).length > 2 ? [host] : [];
    return [...aliases, ...mentioned].filter((alias) => alias !== this.serviceOf(name));
  }

  /** Compose has no ingress, so what a route leads to is published: at the same port where that is free. */
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

/** Compose fills in what follows a dollar sign; two of them are one that stays. */
export function escaped(text: string): string {
  return text.replaceAll('$', '$$$$');
}
