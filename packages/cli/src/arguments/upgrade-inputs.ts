import type { World } from '../world/world.ts';
import { valueOptions } from './value-options.ts';

/** Options with which an upgrade gets inputs that only its new version has, and loses those that it no longer accepts. */
export const upgradeInputOptions = {
  set: { type: 'string', value: 'name=value', multiple: true, about: 'Value of a new input.' },
  'set-file': { type: 'string', value: 'name=path', multiple: true, about: 'Value of a new input, read from a file.' },
  drop: {
    type: 'string',
    value: 'name',
    multiple: true,
    about: 'Drop an input that the new version does not accept.',
  },
} as const;

interface InputOptions {
  readonly set: readonly string[];
  readonly 'set-file': readonly string[];
  readonly drop: readonly string[];
}

/** Returns the changes of inputs; null drops one. */
export async function upgradeInputs(world: World, { set, 'set-file': files, drop }: InputOptions) {
  const input = await valueOptions(world, { set: 'set', setFile: 'set-file' }, set, files);
  return { ...input, ...Object.fromEntries(drop.map((name) => [name, null])) };
}
