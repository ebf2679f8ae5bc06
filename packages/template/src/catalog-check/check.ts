import { canonical, specHash } from '../canonical/canonical.ts';
import type { Canonical } from '../canonical/canonical-form.ts';
import { type LoadedTemplate, loadCatalog } from '../catalog/load.ts';
import { error, type Finding, type Remark } from '../source/finding.ts';
import { stopTemplates } from '../upgrade/stop-template.ts';
import { place } from '../validate.ts';
import { tagsIn, unknownTags } from './known-tags.ts';
import { rehearse } from './rehearse.ts';
import { shuffled } from './shuffle.ts';

export interface Checked {
  readonly catalog: readonly LoadedTemplate[];
  /** By file, in catalog order. */
  readonly findings: ReadonlyMap<LoadedTemplate, readonly Finding[]>;
  /** Number of resolved combinations of profile and variant. */
  readonly resolved: number;
}

type Hashes = Readonly<Record<string, string>>;

export interface CheckOptions {
  /** A folder of files in which every tag must occur, unless the template is marked as unverified. */
  corpora?: string;
  /** Hashes by file, computed by another run of this program. */
  earlier?: Hashes | Promise<Hashes>;
  /** Returns a number from 0 up to 1, like Math.random. */
  random?: () => number;
}

const SHUFFLES = 5;

/** Finds everything that is wrong with a catalog: findings of the validator, and errors that appear only on use. */
export async function checkCatalog(folder: string, options: CheckOptions = {}): Promise<Checked> {
  const { corpora, random = Math.random } = options;
  const catalog = await loadCatalog(folder);
  const earlier = await options.earlier;
  const tags = corpora === undefined ? undefined : await tagsIn(corpora);
  const findings = new Map<LoadedTemplate, readonly Finding[]>();
  const files = new Map<string, string>();
  const kingdoms = kingdomsOf(catalog);
  let resolved = 0;
  for (const loaded of catalog) {
    const { file, species, parsed, template, spec } = loaded;
    const remarks: Remark[] = [];
    const twin = files.get(species);
    if (twin !== undefined) remarks.push(error('duplicate', ['slug'], `${twin} has the same species`));
    files.set(species, file);
    if (template !== undefined && spec !== undefined) {
      remarks.push(...otherKingdom(spec, kingdoms));
      const hashes = Array.from({ length: SHUFFLES }, () => specHash(canonical(shuffled(template, random))));
      if (hashes.some((hash) => hash !== loaded.specHash))
        remarks.push(error('unstable-hash', [], 'the hash depends on the order of keys'));
      if (earlier !== undefined && earlier[file] !== loaded.specHash)
        remarks.push(error('unstable-hash', [], `another run computed ${earlier[file]}, this one ${loaded.specHash}`));
      for (const { path, message } of await rehearse(spec)) remarks.push(error('rehearsal', path.split('.'), message));
      // Their tags are not looked up: a stop is an older release, which current catalogs do not list.
      for (const stop of stopTemplates(spec)) {
        for (const { message } of await rehearse(stop))
          remarks.push(error('rehearsal', ['upgrade', 'via'], `${stop.version}: ${message}`));
      }
      if (tags !== undefined) remarks.push(...unknownTags(spec, tags));
      resolved += Object.keys(spec.profiles).length * Math.max(1, spec.image?.variants.length ?? 0);
    }
    const placed = parsed === undefined ? [] : remarks.map((remark) => place(remark, parsed, file));
    findings.set(loaded, [...loaded.findings, ...placed]);
  }
  return { catalog, findings, resolved };
}

type Kingdoms = ReadonlyMap<string, string>;

/** Determines the kingdom of each family: the one that most of its templates name. */
function kingdomsOf(catalog: readonly LoadedTemplate[]): Kingdoms {
  const counts = new Map<string, Map<string, number>>();
  for (const { spec } of catalog) {
    if (spec === undefined) continue;
    const { family, kingdom } = spec.taxonomy;
    const said = counts.get(family) ?? new Map<string, number>();
    counts.set(family, said.set(kingdom, (said.get(kingdom) ?? 0) + 1));
  }
  const max = (said: ReadonlyMap<string, number>) => [...said].reduce((a, b) => (b[1] > a[1] ? b : a))[0];
  return new Map([...counts].map(([family, said]) => [family, max(said)]));
}

function* otherKingdom({ taxonomy: { family, kingdom } }: Canonical, kingdoms: Kingdoms): Generator<Remark> {
  const usual = kingdoms.get(family) ?? kingdom;
  if (usual === kingdom) return;
  const message = `the family ${family} belongs to the kingdom ${usual} in the other templates`;
  yield error('kingdom', ['taxonomy', 'kingdom'], message, `use ${usual}, or choose another family`);
}

/** Returns the hash of every template of a catalog, by file; two runs must agree on them. */
export async function catalogHashes(folder: string): Promise<Record<string, string>> {
  const catalog = await loadCatalog(folder);
  return Object.fromEntries(catalog.flatMap(({ file, specHash: hash }) => (hash === undefined ? [] : [[file, hash]])));
}
