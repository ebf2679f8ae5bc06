import type { Client } from '@hortus/client/client';
import type { EndpointName } from '@hortus/contract/endpoints';
import type { Exit } from '../exit-codes.ts';
import type { Settings } from '../settings/settings.ts';
import type { World } from '../world/world.ts';

export interface Option {
  readonly type: 'boolean' | 'string';
  readonly short?: string;
  readonly multiple?: boolean;
  /** Placeholder of the value in the help. */
  readonly value?: string;
  readonly about: string;
}
export type Options = Readonly<Record<string, Option>>;

export const globalOptions = {
  json: { type: 'boolean', about: 'Print the response of the service as one JSON document.' },
  output: {
    type: 'string',
    short: 'o',
    value: 'format',
    about: 'Print the response as json, yaml, name (one per line), or as fields such as name,status.',
  },
  context: { type: 'string', value: 'context', about: 'Use this stored context instead of the current one.' },
  'no-color': { type: 'boolean', about: 'Print without colour, like NO_COLOR.' },
  help: { type: 'boolean', short: 'h', about: 'Show the help of the command.' },
} as const satisfies Options;
type GlobalOptions = typeof globalOptions;

type ValueOf<O> = O extends { multiple: true }
  ? readonly string[]
  : O extends { type: 'boolean' }
    ? boolean
    : string | undefined;
export type ValuesOf<O> = { readonly [Name in keyof O]: ValueOf<O[Name]> };

/** 'server' is a required argument, 'server?' an optional one, 'server*' any number of them at the end. */
export type ArgsOf<A extends readonly string[]> = {
  readonly [Name in A[number] as Name extends `${infer N}${'?' | '*'}` ? N : Name]: Name extends `${string}?`
    ? string | undefined
    : Name extends `${string}*`
      ? readonly string[]
      : string;
};
export type CommandArgs = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface Call<O = Readonly<Record<string, unknown>>, A = CommandArgs> {
  readonly args: A;
  readonly options: O;
  readonly json: boolean;
  readonly world: World;
  /** Words after `--`, if the command takes them. */
  readonly rest: readonly string[];
  /** Reads the settings on first use. */
  settings(): Promise<Settings>;
  /** Returns the authenticated client. */
  client(): Promise<Client>;
  /** The table of all commands, for help and completion. */
  readonly commands: readonly ListedCommand[];
}

/** Describes a command; help, parsing, completion and the manual page are derived from it. */
export interface CommandRow {
  /** One to three words: 'deploy', 'catalog list', 'notifications rules add'. */
  readonly name: string;
  readonly summary: string;
  readonly about?: string;
  readonly args: readonly string[];
  /** Name of the words after `--`; without one, `--` only ends the options. */
  readonly rest?: string | undefined;
  readonly options: Options;
  /** Command lines to copy, each with its effect. */
  readonly examples: readonly (readonly [line: string, does: string])[];
}

export interface Command extends CommandRow {
  /** Endpoints it calls; the help lists their permissions. */
  readonly calls: readonly EndpointName[];
  /** Returns an exit by its name, or the exit code of a program that was run. */
  run(call: Call): Promise<Exit | number | undefined>;
}

/** A row of the table of commands. Only `load` needs the code of the command, so help and completion start quickly. */
export interface ListedCommand extends Omit<Command, 'run'> {
  /** Heading in the help. */
  readonly section: string;
  readonly permissions: readonly string[];
  load(): Promise<Command>;
}

/** Types options and arguments for `run` and erases these types in the table. */
export function command<const A extends readonly string[] = [], const O extends Options = Record<never, Option>>(row: {
  name: string;
  summary: string;
  about?: string;
  args?: A;
  rest?: string;
  options?: O;
  examples: Command['examples'];
  calls?: readonly EndpointName[];
  run(call: Call<ValuesOf<O & GlobalOptions>, ArgsOf<A>>): Promise<Exit | number | undefined>;
}): Command {
  const run = (call: Call) => row.run(call as unknown as Call<ValuesOf<O & GlobalOptions>, ArgsOf<A>>);
  return { ...row, args: row.args ?? [], options: row.options ?? {}, calls: row.calls ?? [], run };
}
