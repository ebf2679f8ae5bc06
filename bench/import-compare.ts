import type { Mount, Port, Service } from './import-reading.ts';

/** Placeholder in the original for a value that the import creates, such as a generated secret or an address. */
export const hole = (name: string) => `\uE010${name}\uE011`;
const HOLE = /\uE010([^\uE011]+)\uE011/g;

/** Maps placeholders to values: equal placeholders have equal values, and one secret has one value. */
export class Agreement {
  readonly #holes = new Map<string, string>();
  readonly #secrets = new Map<string, string>();
  readonly #tokens: readonly string[];

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  /** Tells whether a text of the export equals the original. */
  agrees(original: string, exported: string): boolean {
    if (original === exported) return true;
    if (original.includes('\uE010')) return this.#match(original, HOLE, exported, this.#holes);
    const used = this.#tokens.filter((token) => exported.includes(token));
    if (used.length === 0) return false;
    const marked = used.reduce((text, token) => text.replaceAll(token, hole(token)), exported);
    return this.#match(marked, HOLE, original, this.#secrets);
  }

  #match(pattern: string, holes: RegExp, text: string, known: Map<string, string>): boolean {
    const names: string[] = [];
    const source = pattern
      .split(holes)
      .map((part, index) => {
        if (index % 2 === 0) return part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
        const before = names.indexOf(part);
        names.push(part);
        return before === -1 ? '([\\s\\S]*?)' : `\\${before + 1}`;
      })
      .join('');
    const found = new RegExp(`^${source}$`).exec(text);
    if (found === null) return false;
    let group = 0;
    for (const [index, name] of names.entries()) {
      if (names.indexOf(name) !== index) continue;
      const value = found[++group] ?? '';
      if ((known.get(name) ?? value) !== value) return false;
      known.set(name, value);
    }
    return true;
  }
}

/** Lists the differences of the exported service from the original. */
export function differences(
  original: Service,
  exported: Service,
  routed: ReadonlySet<number>,
  agreement: Agreement,
): string[] {
  return [
    ...(original.image === undefined || agreement.agrees(original.image, exported.image ?? '')
      ? []
      : [`image ${original.image} ≠ ${exported.image}`]),
    ...environmentDiffers(original.env, exported.env, agreement),
    ...mountsDiffer(original.mounts, exported.mounts, agreement),
    ...portsDiffer(original.ports, exported.ports, routed),
    ...dependenciesDiffer(original.depends, exported.depends),
  ];
}

function environmentDiffers(
  original: Map<string, string>,
  exported: Map<string, string>,
  agreement: Agreement,
): string[] {
  const wrong: string[] = [];
  for (const [key, value] of original) {
    const other = exported.get(key);
    // An address declared for a peer; the peer decides its value.
    if (/^SERVICE_(URL|FQDN)_/.test(key) && other !== undefined) continue;
    if (other === undefined) wrong.push(`env ${key} is missing`);
    else if (!agreement.agrees(value, other))
      wrong.push(`env ${key}: ${JSON.stringify(value)} ≠ ${JSON.stringify(other)}`);
  }
  for (const key of exported.keys()) if (!original.has(key) && !/^SERVICE_/.test(key)) wrong.push(`env ${key} is new`);
  return wrong;
}

function mountsDiffer(original: Map<string, Mount>, exported: Map<string, Mount>, agreement: Agreement): string[] {
  const wrong: string[] = [];
  for (const [target, mount] of original) {
    const [, other] = [...exported].find(([place]) => place === target || agreement.agrees(target, place)) ?? [];
    if (other === undefined) wrong.push(`mount ${target} is missing`);
    else if (!sameMount(mount, other, agreement))
      wrong.push(`mount ${target}: ${JSON.stringify(mount)} ≠ ${JSON.stringify(other)}`);
  }
  if (exported.size > original.size) wrong.push('a mount is new');
  return wrong;
}

/** A path next to the Compose file becomes a volume or a file; a home directory becomes an input. */
function sameMount(original: Mount, exported: Mount, agreement: Agreement): boolean {
  if (exported.kind === 'file') return original.kind === 'file' || original.kind === 'project';
  if (original.readOnly !== exported.readOnly) return false;
  if (original.kind === 'memory') return exported.kind === 'memory';
  if (original.kind === 'host') {
    const tidy = (path: string) => path.replace(/(.)\/+$/, '$1').replace(/\/{2,}/g, '/');
    return (
      exported.kind === 'host' && (/^(~|$)/.test(original.source) || tidy(original.source) === tidy(exported.source))
    );
  }
  return exported.kind === 'volume' && agreement.agrees(hole(`volume ${original.source}`), exported.source);
}

/** A published port that became a route keeps its internal number; the ingress listens outside. */
function portsDiffer(original: readonly Port[], exported: readonly Port[], routed: ReadonlySet<number>): string[] {
  const wrong: string[] = [];
  const same = (a: Port, b: Port) => a.container === b.container && a.protocol === b.protocol;
  for (const port of original) {
    const others = exported.filter((item) => same(port, item));
    const kept = routed.has(port.container) || others.some(({ host }) => host === port.host);
    if (others.length === 0 || !kept) wrong.push(`port ${port.host ?? ''}:${port.container}/${port.protocol}`);
  }
  for (const port of exported) {
    if (!original.some((item) => same(item, port)) && !routed.has(port.container))
      wrong.push(`port ${port.container} is new`);
  }
  return wrong;
}

function dependenciesDiffer(original: Map<string, string>, exported: Map<string, string>): string[] {
  const wrong: string[] = [];
  for (const [name, condition] of original) {
    if (exported.get(name) !== condition)
      wrong.push(`depends_on ${name}: ${condition} ≠ ${exported.get(name) ?? 'nothing'}`);
  }
  for (const name of exported.keys()) if (!original.has(name)) wrong.push(`depends_on ${name} is new`);
  return wrong;
}
