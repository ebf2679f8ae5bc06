import type { Permission } from '@hortus/contract/template/host-access';
import type { Input, InputType } from '@hortus/contract/template/inputs';
import type { Secret } from '@hortus/contract/template/secrets';
import type { Path } from '../finding.ts';
import type { Parsed } from '../parse.ts';
import { isMapping } from '../schema-check.ts';
import { type Piece, piecesOf, settle, variablesIn } from './interpolation.ts';
import { KnownPasswords } from './known-passwords.ts';
import { magicOf } from './magic.ts';
import { Names, storageName } from './names.ts';
import { Notes } from './notes.ts';
import { Routes } from './routes.ts';
import { isScalarValue, scalarText } from './scalars.ts';
import { isSecretName, isSecretValue } from './secret-names.ts';
import { Texts, usesIn } from './texts.ts';
import { Variables } from './variables.ts';

/** What both readings of a file share: the first gathers, the second writes. */
export interface Gathered {
  variables: Variables;
  passwords: KnownPasswords;
  routes: Routes;
}

export function nothingGathered(): Gathered {
  return { variables: new Variables(), passwords: new KnownPasswords(), routes: new Routes() };
}

/** Content of files beside the Compose file, by the path written there. */
export type FileContent = (path: string) => string | undefined;

/** One reading of a Compose file, and what comes out of it beside the components. */
export class Reading {
  readonly notes: Notes;
  readonly routes: Routes;
  readonly texts: Texts;
  readonly root: Record<string, unknown>;
  readonly files: FileContent;
  readonly asked = new Map<string, { input: Input; required: boolean }>();
  readonly secrets = new Map<string, Secret>();
  readonly permissions: Permission[] = [];
  /** Components by the service's name. */
  readonly components: ReadonlyMap<string, string>;
  readonly #volumes = new Map<string, string>();
  readonly #volumeNames = new Names(63, '-');
  readonly #gathered: Gathered;
  readonly #gathering: boolean;

  constructor(
    parsed: Parsed,
    components: ReadonlyMap<string, string>,
    gathered: Gathered,
    gathering: boolean,
    files: FileContent,
  ) {
    this.notes = new Notes(parsed);
    this.root = parsed.value as Record<string, unknown>;
    this.components = components;
    this.files = files;
    this.routes = gathered.routes;
    this.texts = new Texts(gathered.variables, gathered.routes, gathered.passwords);
    this.#gathered = gathered;
    this.#gathering = gathering;
  }

  get gathering(): boolean {
    return this.#gathering;
  }

  get variables(): Variables {
    return this.#gathered.variables;
  }

  get passwords(): KnownPasswords {
    return this.#gathered.passwords;
  }

  /** A variable that became a secret had a password as its default, which may be written down elsewhere, too. */
  linkPassword(variable: string): void {
    const meaning = this.variables.meaning(variable);
    const standard = this.variables.standardOf(variable);
    if (meaning?.kind === 'secret' && standard !== undefined) this.passwords.addVariable(standard, meaning.name);
  }

  /** A scalar as text of the template, variables as references; undefined for what is no scalar. */
  text(value: unknown, path: Path): string | undefined {
    const pieces = this.pieces(value, path);
    return pieces && this.write(pieces, path);
  }

  write(pieces: readonly Piece[], path: Path, demands?: InputType): string {
    this.noteUses(pieces, path, demands);
    return this.texts.write(pieces);
  }

  noteUses(pieces: readonly Piece[], path: Path, demands?: InputType): void {
    if (!this.#gathering) return;
    for (const use of usesIn(pieces, path)) {
      this.#gathered.variables.note(demands === undefined ? use : { ...use, demands });
      this.routes.mention(use.variable.name, this.#componentAt(path), path);
    }
  }

  pieces(value: unknown, path: Path): Piece[] | undefined {
    if (!isScalarValue(value)) return undefined;
    const text = scalarText(value);
    if (!text.includes('$')) return text === '' ? [] : [text];
    const pieces = piecesOf(text);
    if (pieces !== undefined) return pieces;
    this.notes.infer(path, 'Compose would refuse this use of $; it is taken as it stands');
    return [text];
  }

  /** A scalar that the template cannot leave open: variables at their defaults. */
  settled(value: unknown, path: Path): string | undefined {
    const pieces = this.pieces(value, path);
    const text = pieces && settle(pieces);
    if (pieces !== undefined && text !== undefined && variablesIn(pieces).length > 0) {
      this.notes.infer(path, `fixed at ${JSON.stringify(text)}, the default of its variable`);
    }
    return text;
  }

  /** A word such as true; undefined for what is neither. */
  flag(value: unknown, path: Path): boolean | undefined {
    const text = this.settled(value, path)?.toLowerCase();
    if (text === 'true' || text === 'yes' || text === 'on') return true;
    return text === 'false' || text === 'no' || text === 'off' ? false : undefined;
  }

  /** The value of an environment variable; a password in it becomes a secret. */
  envText(name: string, value: unknown, path: Path): string | undefined {
    const pieces = this.pieces(value, path);
    if (pieces === undefined) return undefined;
    const [only] = pieces;
    if (pieces.length === 1 && typeof only === 'string' && isSecretName(name) && isSecretValue(only)) {
      return `\${secrets.${this.password(only, name, path)}}`;
    }
    return this.write(pieces, path);
  }

  /** The secret that stands for a password that was written down. */
  password(value: string, key: string, path: Path): string {
    if (this.#gathering) this.#gathered.passwords.add(value, this.freeName(key));
    const name = this.#gathered.passwords.nameOf(value) ?? key;
    this.notes.infer(path, `the password written here becomes the secret ${name}`);
    return name;
  }

  /** An environment variable that is handed on from the surroundings. */
  bareText(name: string, path: Path): string {
    if (this.#gathering) this.variables.note({ variable: { name, colon: false, operand: [] }, path, bare: true });
    return this.texts.bare(name);
  }

  /** A question of the importer's own. */
  ask(input: Input, required: boolean): string {
    this.asked.set(input.name, { input, required });
    return `\${inputs.${input.name}}`;
  }

  /** A name that no variable of the file has. */
  freeName(wanted: string): string {
    const base =
      wanted
        .toUpperCase()
        .replace(/[^A-Z0-9_]+/g, '_')
        .replace(/^[^A-Z]+/, '')
        .slice(0, 56) || 'VALUE';
    return this.#gathered.variables.names().includes(base) ? `${base}_VALUE` : base;
  }

  /** The storage for a volume of the file; the same key is the same volume. */
  volumeName(key: string, wanted: string): string {
    const name = this.#volumes.get(key) ?? this.#volumeNames.take(storageName(wanted));
    this.#volumes.set(key, name);
    return name;
  }

  permit(kind: Permission['kind'], component: string, value: string | undefined, why: string): void {
    const reason = `From the Compose file: ${why}`;
    const known = this.permissions.some(
      (one) => one.kind === kind && one.component === component && one.value === value,
    );
    if (!known) this.permissions.push({ kind, component, ...(value === undefined ? {} : { value }), reason });
  }

  section(name: string): Record<string, unknown> {
    const section = this.root[name];
    return isMapping(section) ? section : {};
  }

  #componentAt(path: Path): string | undefined {
    return path[0] === 'services' ? this.components.get(String(path[1])) : undefined;
  }
}

export function isAddressVariable(name: string): boolean {
  return magicOf(name)?.kind === 'address';
}
