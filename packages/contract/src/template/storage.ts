import Type, { type Static } from 'typebox';
import { ByteSize, ContainerPath, StorageName, strict, Text } from './notation.ts';

export const Storage = strict(
  {
    name: StorageName,
    mount_path: ContainerPath('Where it is mounted.'),
    read_only: Type.Optional(Type.Boolean({ default: false, description: 'The component cannot write to it.' })),
    critical: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Holds what cannot be made again: backed up, and never removed without being named.',
      }),
    ),
    shared: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Several components mount the volume of this name; each of them says so.',
      }),
    ),
    host_path: Type.Optional(
      Type.String({
        pattern: '^(/|\\$\\{)',
        maxLength: 4096,
        description: 'A directory of the server instead of a volume. Needs the permission host_path.',
      }),
    ),
  },
  { description: 'What survives a new container.' },
);

export const ConfigFile = strict(
  {
    mount_path: ContainerPath('Where the file appears.'),
    content: Text('The content of the file; ${…} is filled unless raw.'),
    mode: Type.Optional(
      Type.String({ pattern: '^0?[0-7]{3}$', default: '0644', description: 'Permissions in octal, quoted.' }),
    ),
    raw: Type.Optional(Type.Boolean({ default: false, description: 'Take the content as it is: nothing is filled.' })),
  },
  { description: 'A file made from the template, mounted read-only.' },
);

export const Tmpfs = strict(
  { mount_path: ContainerPath('Where it is mounted.'), size: Type.Optional(ByteSize('Its limit.')) },
  { description: 'A file system in memory, empty at every start.' },
);

export type Storage = Static<typeof Storage>;
export type ConfigFile = Static<typeof ConfigFile>;
