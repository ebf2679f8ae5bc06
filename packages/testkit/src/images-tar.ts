import { TAR_END, tarHeader, tarPadding } from '@hortus/contract/runtime/tar-header';

export type Entry =
  | { path: string; kind: 'file'; mode: number; content: Buffer; owner?: number }
  | { path: string; kind: 'folder'; mode: number; owner?: number }
  | { path: string; kind: 'link'; to: string };

/** Builds a tar archive, owned by root by default. */
export function tar(entries: readonly Entry[]): Buffer {
  return Buffer.concat([tarMembers(entries), TAR_END]);
}

/** Builds the archive without its end marker, so that another archive can follow. */
export function tarMembers(entries: readonly Entry[]): Buffer {
  const parts = entries.flatMap((entry) => {
    const content = entry.kind === 'file' ? entry.content : Buffer.alloc(0);
    const header = tarHeader({ mode: 0o777, ...entry, size: content.length });
    return [header, content, tarPadding(content.length)];
  });
  return Buffer.concat(parts);
}
