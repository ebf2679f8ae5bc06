import { TAR_END, tarHeader, tarPadding } from '@hortus/contract/runtime/tar-header';
import type { ContainerFile } from '../container-spec.ts';

/**
 * Builds a tar archive of files owned by root. Contains no folders: the engine creates missing ones and keeps existing
 * ones.
 */
export function tarOf(files: readonly ContainerFile[]): Buffer {
  const parts = files.flatMap((file) => {
    const content = Buffer.from(file.content, 'utf8');
    const [path, mode, size] = [archivePath(file.path), permissions(file.mode), content.length];
    return [tarHeader({ path, kind: 'file', mode, size }), content, tarPadding(size)];
  });
  return Buffer.concat([...parts, TAR_END]);
}

function archivePath(path: string): string {
  const segments = path.split('/').slice(1);
  const plain =
    segments.length > 0 && segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..');
  if (!path.startsWith('/') || !plain || path.includes('\0')) {
    throw new Error(`${JSON.stringify(path)} is not a valid absolute file path`);
  }
  return segments.join('/');
}

function permissions(mode: string): number {
  if (!/^0?[0-7]{3,4}$/.test(mode)) throw new Error(`${JSON.stringify(mode)} is not a file mode such as 0640`);
  return Number.parseInt(mode, 8);
}
