import Type, { type Static } from 'typebox';
import { ByteSize, ContainerPath, StorageName, strict, Text } from './notation.ts';

export const Storage = strict(
  {
    name: StorageName,
    mount_path: ContainerPath('Where it is mounted.'),
    read_only: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether the component cannot write to it.' }),
    ),
    critical: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether it holds data that cannot be recreated: it is backed up, and removed only by name.',
      }),
    ),
    shared: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether several components mount the volume of this name; each of them must declare it.',
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
  { description: 'A persistent volume.' },
);

export const ConfigFile = strict(
  {
    mount_path: ContainerPath('Where the file appears.'),
    content: Text('The content of the file; ${…} is filled unless raw.'),
    mode: Type.Optional(
      Type.String({ pattern: '^0?[0-7]{3}$', default: '0644', description: 'Permissions in octal, quoted.' }),
    ),
    raw: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether the content is taken literally, without filling ${…}.' }),
    ),
  },
  { description: 'A file generated from the template, mounted read-only.' },
);

export const Tmpfs = strict(
  { mount_path: ContainerPath('Where it is mounted.'), size: Type.Optional(ByteSize('Size limit.')) },
  { description: 'An in-memory file system, empty at every start.' },
);

export type Storage = Static<typeof Storage>;
export type ConfigFile = Static<typeof ConfigFile>;
