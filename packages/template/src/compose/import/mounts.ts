import { withoutTrailing } from '@hortus/contract/runtime/trimmed';
import type { ConfigFile, Storage } from '@hortus/contract/template/storage';
import { isMapping } from '../../schema/schema-check.ts';
import type { Path } from '../../source/finding.ts';
import { listOf } from './entries.ts';
import { plainContent } from './file-content.ts';
import { readFiles } from './files.ts';
import { hostMount, isFilePath, projectMount } from './host-mounts.ts';
import { settle } from './interpolation.ts';
import { byteSize } from './quantities.ts';
import type { Reading } from './reading.ts';
import { type Mount, shortMount } from './short-mounts.ts';

export interface Mounts {
  storage: Storage[];
  files: ConfigFile[];
  tmpfs: { mount_path: string; size?: string }[];
}

const MAX_FILE_LENGTH = 65_536;

/** Reads `volumes`, `tmpfs`, `configs` and `secrets` of a service. */
export function readMounts(reading: Reading, service: Record<string, unknown>, component: string, path: Path): Mounts {
  const mounts: Mounts = { storage: [], files: [], tmpfs: [] };
  for (const { item, path: at } of listOf(service.volumes, [...path, 'volumes'])) {
    const mount = isMapping(item) ? longMount(reading, item, at) : shortMount(reading, item, at);
    if (mount !== undefined) place(reading, mount, component, mounts);
  }
  for (const { item, path: at } of listOf(service.tmpfs, [...path, 'tmpfs'])) {
    const [target = '', options = ''] = (reading.settled(item, at) ?? '').split(':', 2);
    addTmpfs(reading, mounts, target, options, at);
  }
  mounts.files.push(...readFiles(reading, service, path));
  return once(mounts);
}

function longMount(reading: Reading, item: Record<string, unknown>, path: Path): Mount | undefined {
  const target = reading.text(item.target ?? item.destination, [...path, 'target']);
  if (target === undefined || !target.startsWith('/')) {
    reading.notes.drop(path, 'the mount has no absolute target');
    return undefined;
  }
  for (const key of Object.keys(item)) {
    if (!LONG_KEYS.has(key) && !key.startsWith('x-'))
      reading.notes.drop([...path, key], `${key} of a mount is not supported in templates`);
  }
  const source = reading.pieces(item.source, [...path, 'source']);
  const type = typeof item.type === 'string' ? item.type : undefined;
  return {
    target,
    source,
    type,
    readOnly: reading.flag(item.read_only, [...path, 'read_only']) ?? false,
    ...(typeof item.content === 'string' ? { content: item.content } : {}),
    ...(item.is_directory === true || item.isDirectory === true ? { directory: true } : {}),
    ...(isMapping(item.tmpfs) && item.tmpfs.size !== undefined ? { size: String(item.tmpfs.size) } : {}),
    path,
  };
}

const LONG_KEYS = new Set([
  'type',
  'source',
  'target',
  'destination',
  'read_only',
  'content',
  'is_directory',
  'isDirectory',
  'tmpfs',
  'bind',
  'volume',
  'mode',
  'consistency',
]);

function place(reading: Reading, mount: Mount, component: string, mounts: Mounts): void {
  const { target, path, readOnly, content, source, type } = mount;
  const written = source === undefined ? undefined : (settle(source) ?? '');
  if (content !== undefined) {
    if (content.length > MAX_FILE_LENGTH)
      reading.notes.drop(path, `the content has more than ${MAX_FILE_LENGTH} characters`);
    else mounts.files.push({ mount_path: target, ...plainContent(reading.texts, content) });
  } else if (type === 'tmpfs') {
    addTmpfs(reading, mounts, target, mount.size === undefined ? '' : `size=${mount.size}`, path);
  } else if (type !== undefined && type !== 'volume' && type !== 'bind') {
    reading.notes.refuse(path, `mounts of type ${type} are not supported in templates`);
  } else if (written === undefined || (source?.length === 0 && type !== 'bind')) {
    const name = reading.volumeName(`${component} ${target}`, target);
    reading.notes.infer(path, `the anonymous volume is named ${name}`);
    mounts.storage.push({ name, mount_path: target, ...(readOnly ? { read_only: true } : {}) });
  } else if (written === '' || isFilePath(written) || type === 'bind') {
    bind(reading, mount, component, mounts);
  } else named(reading, written, mount, component, mounts);
}

/**
 * Reads a bind mount: a path of the server needs a permission; a path beside the Compose file becomes a volume or a
 * file.
 */
function bind(reading: Reading, mount: Mount, component: string, mounts: Mounts): void {
  const written = settle(mount.source ?? []);
  if (written === undefined || written === '' || written.startsWith('/') || written.startsWith('~')) {
    const storage = hostMount(reading, mount, component);
    if (storage !== undefined) mounts.storage.push(storage);
    return;
  }
  const { storage, file } = projectMount(reading, mount, written);
  if (storage !== undefined) mounts.storage.push(storage);
  if (file !== undefined) mounts.files.push(file);
}

function named(reading: Reading, volume: string, mount: Mount, component: string, mounts: Mounts): void {
  const { target, path, readOnly } = mount;
  if (mount.source?.some((piece) => typeof piece === 'object'))
    reading.notes.infer(path, `the volume is named ${volume}`);
  const declared = reading.section('volumes')[volume];
  const at = ['volumes', volume];
  const options = isMapping(declared) && isMapping(declared.driver_opts) ? declared.driver_opts : {};
  const device = reading.settled(options.device, [...at, 'driver_opts', 'device']);
  if (
    isMapping(declared) &&
    device !== undefined &&
    /(^|,)r?bind/.test(String(options.o ?? '')) &&
    device.startsWith('/')
  ) {
    const storage = hostMount(reading, { ...mount, source: [device] }, component);
    if (storage !== undefined) mounts.storage.push(storage);
    return;
  }
  if (isMapping(declared)) {
    if (Object.keys(options).length > 0)
      reading.notes.refuse(
        [...at, 'driver_opts'],
        `the volume ${volume} becomes an ordinary volume, without its driver options`,
      );
    if (typeof declared.driver === 'string' && declared.driver !== 'local')
      reading.notes.drop(
        [...at, 'driver'],
        `the volume ${volume} becomes an ordinary volume, without the driver ${declared.driver}`,
      );
    if (declared.external !== undefined && declared.external !== false)
      reading.notes.drop([...at, 'external'], `the volume ${volume} is created; external volumes are not supported`);
  }
  const name = reading.volumeName(volume, volume);
  mounts.storage.push({ name, mount_path: target, critical: true, ...(readOnly ? { read_only: true } : {}) });
}

function addTmpfs(reading: Reading, mounts: Mounts, target: string, options: string, path: Path): void {
  if (!target.startsWith('/')) {
    reading.notes.drop(path, 'the tmpfs has no absolute path');
    return;
  }
  const size = /(?:^|,)size=([^,]+)/.exec(options)?.[1];
  const others = options
    .split(',')
    .filter((text) => text !== '' && !/^(size=|rw$|exec$|noexec$|nosuid$|nodev$)/.test(text));
  if (others.length > 0) reading.notes.drop(path, `a tmpfs has only a size; ignored: ${others.join(', ')}`);
  const bytes = size === undefined ? undefined : byteSize(size);
  mounts.tmpfs.push({ mount_path: target, ...(bytes === undefined ? {} : { size: bytes }) });
}

/** `/data/` and `/data` are the same place. */
const placeOf = ({ mount_path }: { readonly mount_path: string }): string => withoutTrailing(mount_path, '/') || '/';

/** Keeps the last of several mounts at one path, as Compose does. */
function once({ storage, files, tmpfs }: Mounts): Mounts {
  const last = <M extends { mount_path: string }>(list: M[]): M[] => {
    const byPlace = new Map(list.map((mount) => [placeOf(mount), mount]));
    return [...byPlace.values()];
  };
  const taken = (list: { mount_path: string }[]) => new Set(list.map(placeOf));
  const kept = last(files);
  const filed = taken(kept);
  const stored = last(storage).filter((mount) => !filed.has(placeOf(mount)));
  const held = taken(stored);
  return {
    files: kept,
    storage: stored,
    tmpfs: last(tmpfs).filter(({ mount_path }) => !held.has(mount_path) && !filed.has(mount_path)),
  };
}
