import type { Client } from '@hortus/client/client';
import type { EndpointName } from '@hortus/contract/endpoints';
import type { Exit } from './exit-codes.ts';
import type { Settings } from './settings.ts';
import type { World } from './world.ts';

export interface Option {
  readonly type: 'boolean' | 'string';
  readonly short?: string;
  readonly multiple?: boolean;
  /** What stands for the value in help. */
  readonly value?: string;
  readonly about: string;
}
export type Options = Readonly<Record<string, Option>>;

export const globalOptions = {
  json: { type: 'boolean', about: 'Print one JSON document, as the service answers.' },
  context: { type: 'string', value: 'name', about: 'Use this stored context instead of the current one.' },
  'no-color': { type: 'boolean', about: 'Print without colour, as NO_COLOR does.' },
  help: { type: 'boolean', short: 'h', about: 'Show the help of the command.' },
} as const satisfies Options;
type GlobalOptions = typeof globalOptions;

type ValueOf<O> = O extends { multiple: true }
  ? readonly string[]
  : O extends { type: 'boolean' }
    ? boolean
    : string | undefined;
export type ValuesOf<O> = { readonly [Name in keyof O]: ValueOf<O[Name]> };

/** 'server' is a word that must be there, 'server?' one that may be. */
export type ArgsOf<A extends readonly string[]> = {
  readonly [Name in A[number] as Name extends `${infer N}?` ? N : Name]: Name extends `${string}?`
    ? string | undefined
    : string;
};

export interface Call<O = Readonly<Record<string, unknown>>, A = Readonly<Record<string, string | undefined>>> {
  readonly args: A;
  readonly options: O;
  readonly json: boolean;
  readonly world: World;
  /** Which service is meant; read when first asked for. */
  settings(): Promise<Settings>;
  /** The signed-in client. */
  client(): Promise<Client>;
}

/** One row of the table that help, parsing and dispatch are made from. */
export interface Command {
  /** One or two words: 'deploy', 'catalog list'. */
  readonly name: string;
  readonly summary: string;
  readonly about?: string;
  readonly args: readonly string[];
  readonly options: Options;
  /** Lines a person can copy, each with what it does. */
  readonly examples: readonly (readonly [line: string, does: string])[];
  /** What it asks the service for; help names the permissions of these. */
  readonly calls: readonly EndpointName[];
  run(call: Call): Promise<Exit | undefined>;
}

/** Keeps the types of options and arguments for `run`, and forgets them in the table. */
export function command<const A extends readonly string[] = [], const O extends Options = Record<never, Option>>(row: {
  name: string;
  summary: string;
  about?: string;
  args?: A;
  options?: O;
  examples: Command['examples'];
  calls?: readonly EndpointName[];
  run(call: Call<ValuesOf<O & GlobalOptions>, ArgsOf<A>>): Promise<Exit | undefined>;
}): Command {
  const run = (call: Call) => row.run(call as unknown as Call<ValuesOf<O & GlobalOptions>, ArgsOf<A>>);
  return { ...row, args: row.args ?? [], options: row.options ?? {}, calls: row.calls ?? [], run };
}
