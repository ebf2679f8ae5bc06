import type { Manifest } from '@hortus/contract/template/manifest';

/** Lists the volumes of a manifest to copy, each once. Host paths cannot be copied. */
export function volumesOf({ components }: Manifest): { storage: string; volume: string }[] {
  const found = new Map<string, string>();
  for (const { storage } of components)
    for (const { name, volume } of storage) if (volume !== undefined) found.set(volume, name);
  return [...found].map(([volume, storage]) => ({ storage, volume }));
}

export const hostPathsOf = ({ components }: Manifest): string[] => [
  ...new Set(components.flatMap(({ storage }) => storage.flatMap(({ host_path }) => host_path ?? []))),
];
