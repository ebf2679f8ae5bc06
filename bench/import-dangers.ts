import type { Template } from '@hortus/contract/template/schema';
import type { Dropped } from '@hortus/template/compose/import/notes';
import { fillText } from './import-reading.ts';

export interface Danger {
  service: string;
  /** Key of the service that causes it. */
  key: string;
  /** Permissions that report it; any one is enough. */
  kinds: readonly string[];
  value?: string;
}

type Raw = Record<string, unknown>;
const isRaw = (value: unknown): value is Raw => typeof value === 'object' && value !== null && !Array.isArray(value);
const listed = (value: unknown): unknown[] => (Array.isArray(value) ? value : isRaw(value) ? Object.keys(value) : []);
const settled = (value: unknown) => fillText(String(value ?? ''), () => undefined);

/** Compose settings that give a container extra access to the host. */
export function dangersOf(file: Raw): Danger[] {
  const found: Danger[] = [];
  for (const [service, value] of Object.entries(file.services as Raw)) {
    if (!isRaw(value)) continue;
    const add = (key: string, kinds: string[], danger?: string) =>
      found.push({ service, key, kinds, ...(danger === undefined ? {} : { value: danger }) });
    if (settled(value.privileged) === 'true') add('privileged', ['privileged']);
    if (value.pid !== undefined) add('pid', ['host_pid']);
    if (settled(value.ipc) === 'host' || /^(service|container):/.test(settled(value.ipc))) add('ipc', ['host_ipc']);
    if (/^(host$|service:|container:)/.test(settled(value.network_mode))) add('network_mode', ['host_network']);
    for (const key of ['userns_mode', 'uts', 'cgroup', 'cgroup_parent', 'use_api_socket'])
      if (value[key] !== undefined) add(key, []);
    for (const name of listed(value.cap_add))
      add('cap_add', ['capability'], settled(name).toUpperCase().replace(/^CAP_/, ''));
    for (const name of listed(value.devices)) {
      add('devices', ['device'], isRaw(name) ? settled(name.source) : settled(name).split(':')[0]);
    }
    for (const name of listed(value.device_cgroup_rules)) add('device_cgroup_rules', [], settled(name));
    for (const name of listed(value.sysctls)) add('sysctls', ['sysctl'], settled(name).split('=')[0]);
    for (const option of listed(value.security_opt)) {
      if (!settled(option).startsWith('no-new-privileges'))
        add('security_opt', ['unconfined'], settled(option).split(/[=:]/)[0]);
    }
    if (value.gpus !== undefined || value.runtime !== undefined) add('runtime', ['gpu']);
    for (const path of hostPaths(value.volumes, file))
      add('volumes', ['host_path', 'docker_socket', 'host_root'], path);
  }
  return found;
}

function hostPaths(volumes: unknown, file: Raw): string[] {
  return listed(volumes).flatMap((item) => {
    if (isRaw(item) && (typeof item.content === 'string' || item.type === 'tmpfs')) return [];
    const source = settled(isRaw(item) ? item.source : splitSource(String(item)));
    const declared = isRaw(file.volumes) ? file.volumes[source] : undefined;
    const options = isRaw(declared) && isRaw(declared.driver_opts) ? declared.driver_opts : {};
    const device = String(options.device ?? '');
    if (device.startsWith('/')) return [device];
    return /^[/~]/.test(source) ? [source] : [];
  });
}

function splitSource(mount: string): string {
  const whole = settled(mount);
  return whole.includes(':') ? (whole.split(':')[0] ?? '') : '';
}

/** Tells whether the import reports it: as a permission of the component, or by refusing it. */
export function isFlagged(danger: Danger, component: string, template: Template, dropped: readonly Dropped[]): boolean {
  const { service, key, kinds, value } = danger;
  const permitted = (template.permissions ?? []).some(
    (permission) =>
      kinds.includes(permission.kind) &&
      permission.component === component &&
      (value === undefined ||
        permission.value === undefined ||
        permission.value.includes('${') ||
        tidy(permission.value) === tidy(value)),
  );
  const place = `services.${service}.${key}`;
  return (
    permitted || dropped.some(({ path, refused }) => refused && (path.startsWith(place) || /^volumes\./.test(path)))
  );
}

const tidy = (path: string) => path.replace(/(.)\/+$/, '$1').replace(/\/{2,}/g, '/');
