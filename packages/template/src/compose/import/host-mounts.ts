import { posix } from 'node:path';
import { withoutTrailing } from '@hortus/contract/runtime/trimmed';
import type { ConfigFile, Storage } from '@hortus/contract/template/storage';
import { type Access, accessOf } from '../../canonical/host-access.ts';
import { plainContent } from './file-content.ts';
import { demanded, settle } from './interpolation.ts';
import { capitals } from './names.ts';
import type { Reading } from './reading.ts';
import type { Mount } from './short-mounts.ts';

/** Names of files without an extension, or with one that says nothing. */
const FILE = /^(\.[a-z0-9_-]+rc|\.env[a-z0-9_.-]*|caddyfile|dockerfile|corefile|hosts|crontab)$/;
const EXTENSIONS = new Set(
  'conf cnf cfg config yaml yml json json5 toml ini xml properties env sh sql js mjs cjs ts py rb php lua pem crt cert key pub txt md html htm css template tmpl tpl acl htpasswd htaccess passwd xsl ldif rules hcl bcrypt lic license vcl pgpass cron zip tar gz jar war db sqlite sqlite3'.split(
    ' ',
  ),
);

function isFileName(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const dot = name.lastIndexOf('.');
  return FILE.test(name) || (dot > 0 && EXTENSIONS.has(name.slice(dot + 1)));
}

/** Tells whether a source is a path rather than the name of a volume. */
export function isFilePath(source: string): boolean {
  return /^[./~]/.test(source) || source.includes('/');
}

/** Reads a mount of a path of the server. */
export function hostMount(reading: Reading, mount: Mount, component: string): Storage | undefined {
  const { target, path, readOnly, source = [] } = mount;
  const written = settle(source);
  let host_path: string;
  if (written?.startsWith('/') && source.every((piece) => typeof piece === 'string'))
    host_path = reading.texts.literal(posix.normalize(written));
  else if (
    written?.startsWith('~') ||
    (written === undefined && typeof source[0] === 'string' && !source[0].startsWith('/'))
  ) {
    const name = reading.freeName(`${capitals(component)}_${capitals(target)}_PATH`);
    reading.notes.infer(path, `the directory of the server for ${written ?? 'this'} becomes the input ${name}`);
    host_path = reading.ask({ name, type: 'path', label: `Directory for ${target}`.slice(0, 200) }, true);
  } else {
    // A variable after the beginning is a part of a path, such as a user name, and not a path itself.
    const [first, ...others] = demanded(source);
    host_path = reading.write(first === undefined ? [] : [first], path, 'path') + reading.write(others, path);
    if (!/^(\/|\$\{)/.test(host_path)) return undefined;
  }
  const { kind, value } = reach(host_path);
  reading.permit(kind, component, value, `mounts ${host_path} at ${target}`);
  return {
    name: reading.volumeName(`host ${component} ${target}`, `host-${target.replace(/[^A-Za-z0-9]+/g, '-')}`),
    mount_path: target,
    host_path,
    ...(readOnly ? { read_only: true } : {}),
  };
}

/** Classifies the access like the validator and the daemon. */
function reach(host_path: string): Access {
  const [access] = accessOf({
    network: 'bridge',
    privileged: false,
    pid: 'private',
    ipc: 'private',
    confinement: { seccomp: 'default', apparmor: 'default' },
    capabilities: { add: [] },
    devices: [],
    sysctls: {},
    storage: [{ host_path }],
    ports: [],
  });
  return access ?? { kind: 'host_path', value: host_path, at: [] };
}

/**
 * Reads a mount of a path beside the Compose file: a folder becomes a volume, a file becomes an input unless its
 * content is available.
 */
export function projectMount(
  reading: Reading,
  mount: Mount,
  written: string,
): { storage?: Storage; file?: ConfigFile } {
  const { target, path, readOnly } = mount;
  const content = mount.directory ? undefined : reading.files(written);
  if (content !== undefined) {
    return { file: { mount_path: target, ...plainContent(reading.texts, content) } };
  }
  const file =
    !mount.directory && (isFileName(target) || isFileName(written)) && !target.endsWith('/') && !written.endsWith('/');
  if (file) {
    const name = reading.freeName(`FILE_${capitals(posix.basename(target))}`);
    reading.notes.infer(path, `the content of ${written} becomes the input ${name}`);
    const label = `Content of ${posix.basename(target)}`.slice(0, 200);
    return { file: { mount_path: target, content: reading.ask({ name, type: 'text', label }, true) } };
  }
  const folder = withoutTrailing(written, '/');
  const name = reading.volumeName(`folder ${folder}`, folder.replace(/[^A-Za-z0-9]+/g, '-'));
  reading.notes.infer(path, `the folder ${written} becomes the volume ${name}, empty at first`);
  return { storage: { name, mount_path: target, critical: true, ...(readOnly ? { read_only: true } : {}) } };
}
