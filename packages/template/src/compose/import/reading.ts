import type { Permission } from '@hortus/contract/template/host-access';
import type { Input, InputType } from '@hortus/contract/template/inputs';
import type { Secret } from '@hortus/contract/template/secrets';
import { isMapping } from '../../schema/schema-check.ts';
import type { Path } from '../../source/finding.ts';
import type { Parsed } from '../../source/parse.ts';
import { type Piece, piecesOf, settle, type Variable, variablesIn } from './interpolation.ts';
import { KnownPasswords } from './known-passwords.ts';
import { magicOf } from './magic.ts';
import { Names, storageName } from './names.ts';
import { Notes } from './notes.ts';
import { Routes } from './routes.ts';
import { isScalarValue, scalarText } from './scalars.ts';
import { isSecretName, isSecretValue, splitMark } from './secret-names.ts';
import { ENV_FILE, Surroundings } from './surroundings.ts';
import { Texts, usesIn } from './texts.ts';
import { isOfThirdParty } from './third-parties.ts';
import { Variables } from './variables.ts';

/** State that both passes over a file share: the first pass collects, the second writes. */
export interface Gathered {
  variables: Variables;
  passwords: KnownPasswords;
  routes: Routes;
  surroundings: Surroundings;
}

export function nothingGathered(files: FileContent): Gathered {
  return {
    variables: new Variables(),
    passwords: new KnownPasswords(),
    routes: new Routes(),
    surroundings: new Surroundings(files(ENV_FILE)),
  };
}

/** Returns the content of a file beside the Compose file, by the path written there. */
export type FileContent = (path: string) => string | undefined;

/** One pass over a Compose file, and its results besides the components. */
export class Reading {
  readonly notes: Notes;
  readonly routes: Routes;
  readonly texts: Texts;
  readonly root: Record<string, unknown>;
  readonly files: FileContent;
  readonly asked = new Map<string, { input: Input; required: boolean }>();
  readonly secrets = new Map<string, Secret>();
  readonly permissions: Permission[] = [];
  /** Component names by service name. */
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

  /**
   * Registers the default of a variable that became a secret as a known password, because it may occur elsewhere too.
   */
  linkPassword(variable: string): void {
    const meaning = this.variables.meaning(variable);
    const standard = this.variables.standardOf(variable);
    if (meaning?.kind === 'secret' && standard !== undefined)
      this.passwords.addVariable(splitMark(standard).rest, meaning.name);
  }

  /** Converts a scalar to a template text with references; undefined if it is not a scalar. */
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
    if (pieces !== undefined) return this.#gathered.surroundings.filled(pieces);
    this.notes.infer(path, 'Compose would refuse this use of $; it is taken literally');
    return [text];
  }

  /** Returns a scalar with all variables at their defaults, for places where a template allows no reference. */
  settled(value: unknown, path: Path): string | undefined {
    const pieces = this.pieces(value, path);
    const text = pieces && settle(pieces);
    if (pieces !== undefined && text !== undefined && variablesIn(pieces).length > 0) {
      this.notes.infer(path, `fixed at ${JSON.stringify(text)}, the default of its variable`);
    }
    return text;
  }

  /** Gives a variable without a value the value that it must have. */
  assume(variable: string, value: string): void {
    this.#gathered.surroundings.assume(variable, value);
  }

  /** Returns a scalar with its variables at their defaults, as evidence only: nothing is noted. */
  plain(value: unknown): string | undefined {
    if (!isScalarValue(value)) return undefined;
    const text = scalarText(value);
    const pieces = piecesOf(text);
    return pieces === undefined ? text : settle(this.#gathered.surroundings.filled(pieces));
  }

  /** Reads a boolean; undefined for other values. */
  flag(value: unknown, path: Path): boolean | undefined {
    const text = this.settled(value, path)?.toLowerCase();
    if (text === 'true' || text === 'yes' || text === 'on') return true;
    return text === 'false' || text === 'no' || text === 'off' ? false : undefined;
  }

  /** Returns the value of an environment variable; a password in it becomes a secret. */
  envText(name: string, value: unknown, path: Path): string | undefined {
    const pieces = this.pieces(value, path);
    if (pieces === undefined) return undefined;
    const [only] = pieces;
    if (pieces.length === 1 && typeof only === 'string' && isSecretName(name) && isSecretValue(only)) {
      if (isOfThirdParty(name)) return this.#askFor(name, path);
      return this.#password(only, name, path);
    }
    return this.write(pieces, path);
  }

  #askFor(name: string, path: Path): string {
    const input = this.freeName(name);
    this.notes.infer(path, `${name} is issued by a third party; it becomes the input ${input}`);
    return this.ask({ name: input, type: 'password' }, false);
  }

  /** Returns a reference to the secret that a password of the file becomes. */
  #password(value: string, key: string, path: Path): string {
    const { mark, rest } = splitMark(value);
    if (this.#gathering) this.#gathered.passwords.add(rest, this.freeName(key));
    const name = this.#gathered.passwords.nameOf(rest) ?? key;
    this.notes.infer(path, `the password becomes the secret ${name}`);
    return `${mark}\${secrets.${name}}`;
  }

  /** Returns the text of an environment variable without a value, which Compose passes through from its environment. */
  bareText(name: string, path: Path): string {
    const [variable] = this.#gathered.surroundings.filled([{ name, colon: false, operand: [] }]) as [Variable];
    if (this.#gathering) this.variables.note({ variable, path, bare: true });
    return this.texts.bare(name);
  }

  /** Adds an input of the importer. */
  ask(input: Input, required: boolean): string {
    this.asked.set(input.name, { input, required });
    return `\${inputs.${input.name}}`;
  }

  /** Returns a name that no variable of the file has. */
  freeName(wanted: string): string {
    const base =
      wanted
        .toUpperCase()
        .replace(/[^A-Z0-9_]+/g, '_')
        .replace(/^[^A-Z]+/, '')
        .slice(0, 56) || 'VALUE';
    return this.#gathered.variables.names().includes(base) ? `${base}_VALUE` : base;
  }

  /** Returns the storage name of a volume; equal keys are the same volume. */
  volumeName(key: string, wanted: string): string {
    const name = this.#volumes.get(key) ?? this.#volumeNames.take(storageName(wanted));
    this.#volumes.set(key, name);
    return name;
  }

  permit(kind: Permission['kind'], component: string, value: string | undefined, why: string): void {
    const reason = `From the Compose file: ${why}`;
    const known = this.permissions.some(
      (permission) => permission.kind === kind && permission.component === component && permission.value === value,
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
