import { DROPPED_CAPABILITIES } from '@hortus/contract/template/container-defaults';
import type { Template } from '@hortus/contract/template/schema';
import { describe, expect, it } from 'vitest';
import { canonical } from '../canonical/canonical.ts';
import { exportCompose } from '../compose/export/export-compose.ts';
import { importCompose } from '../compose/import/import-compose.ts';
import { parse } from '../source/parse.ts';
import { SEED } from '../testing/inkwell.ts';
import { resolve } from './resolve.ts';

const seed = (more: string) => canonical(parse(`${SEED}${more}\n`).value as Template);
function component(more: string) {
  const instance = { uid: 'blog-1', name: 'Blog', server_id: 'srv_1' };
  const resolution = resolve(seed(more), { inputs: {}, secrets: {}, instance });
  if (!resolution.ok) throw new Error(JSON.stringify(resolution.problems));
  const [item] = resolution.manifest.components;
  return { ...item, permissions: resolution.manifest.permissions };
}

describe('a component without its own settings', () => {
  it('gets limits for processes and log, no new privileges and fewer capabilities, but no memory limit', () => {
    const { resources, logging, confinement, capabilities, permissions } = component('');
    expect(resources).toEqual({ pids: 4096 });
    expect(logging).toEqual({ max_bytes: 10 * 1024 ** 2, max_files: 3, by_default: true });
    expect(confinement?.no_new_privileges).toBe(true);
    expect(capabilities).toEqual({ add: [], drop: ['AUDIT_WRITE', 'MKNOD', 'NET_RAW', 'SETFCAP'] });
    expect(permissions).toEqual([]);
  });

  it('keeps its canonical form and so its spec_hash', () => {
    expect(seed('').components.main).toMatchObject({ resources: {}, capabilities: { add: [], drop: [] } });
    expect(seed('').components.main).not.toHaveProperty('logging');
    expect(seed('').components.main?.confinement).toEqual({
      seccomp: 'default',
      apparmor: 'default',
      no_new_privileges: false,
    });
  });
});

describe('a template', () => {
  it('can set its own limits for processes and log', () => {
    const { resources, logging } = component('resources: {pids: 20000}\nlogging: {max_size: 1Gi, max_files: 5}');
    expect(resources).toEqual({ pids: 20_000 });
    expect(logging).toEqual({ max_bytes: 2 ** 30, max_files: 5 });
  });

  it('keeps a capability by adding it, which is listed before the deployment', () => {
    const permission = 'permissions: [{kind: capability, value: NET_RAW, reason: It pings.}]';
    const { capabilities, permissions } = component(`capabilities: {add: [NET_RAW]}\n${permission}`);
    expect(capabilities).toEqual({ add: ['NET_RAW'], drop: ['AUDIT_WRITE', 'MKNOD', 'SETFCAP'] });
    expect(permissions).toMatchObject([{ kind: 'capability', value: 'NET_RAW', reason: 'It pings.' }]);
  });

  it('allows programs to gain privileges only with a listed permission', () => {
    const asked = 'confinement: {new_privileges: true}';
    expect(() => component(asked)).toThrow('would use new_privileges');
    const permission = 'permissions: [{kind: new_privileges, reason: Its terminal offers sudo.}]';
    const { confinement, permissions } = component(`${asked}\n${permission}`);
    expect(confinement?.no_new_privileges).toBe(false);
    expect(permissions).toMatchObject([{ kind: 'new_privileges', needs_operator: false }]);
  });

  it('that drops ALL, or is privileged, is not changed', () => {
    expect(component('capabilities: {drop: [ALL]}').capabilities).toEqual({ add: [], drop: ['ALL'] });
    const privileged = component('privileged: true\npermissions: [{kind: privileged, reason: It must.}]');
    expect(privileged.capabilities).toEqual({ add: [], drop: [] });
    expect(privileged.confinement?.no_new_privileges).toBe(false);
  });
});

describe('a Compose file', () => {
  const service = (said: string) => {
    const { template } = importCompose(`services:\n  app:\n    image: a:1\n    ${said}\n`);
    return template === undefined ? undefined : Object.values(canonical(template).components)[0];
  };

  it('keeps its own limits when imported', () => {
    expect(service('pids_limit: 200')?.resources.pids).toBe(200);
    expect(service('pids_limit: -1')?.resources.pids).toBe(4_194_304);
    expect(service('pids_limit: 0')?.resources).not.toHaveProperty('pids');
    const options = '{driver: json-file, options: {max-size: "50m", max-file: "4"}}';
    expect(service(`logging: ${options}`)?.logging).toMatchObject({ max_files: 4 });
    expect(service('logging: {driver: fluentd}')).not.toHaveProperty('logging');
    expect(service('security_opt: ["no-new-privileges:false"]')?.confinement.new_privileges).toBe(true);
    expect(service('security_opt: ["no-new-privileges:true"]')?.confinement).not.toHaveProperty('new_privileges');
  });

  it('contains the effective limits when exported', async () => {
    const exported = await exportCompose(seed(''), { inputs: {}, secrets: {} });
    if (!exported.ok) throw new Error(JSON.stringify(exported.problems));
    const [item] = Object.values((parse(exported.text).value as { services: Record<string, unknown> }).services);
    expect(item).toMatchObject({
      cap_drop: [...DROPPED_CAPABILITIES],
      security_opt: ['no-new-privileges:true'],
      logging: { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '3' } },
      deploy: { resources: { limits: { pids: 4096 } } },
    });
  });
});
