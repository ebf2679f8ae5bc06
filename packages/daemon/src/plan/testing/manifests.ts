import type { Manifest, ManifestComponent } from '@hortus/contract/template/manifest';

/** A component with default settings. */
export function component(name: string, overrides: Partial<ManifestComponent> = {}): ManifestComponent {
  return {
    name,
    host: `alias-${name}`,
    kind: 'service',
    irreversible: false,
    image: 'example:1',
    env: {},
    files: [],
    storage: [],
    tmpfs: [],
    depends_on: {},
    resources: {},
    restart: 'unless-stopped',
    replicas: 1,
    ports: [],
    network: 'bridge',
    privileged: false,
    pid: 'private',
    ipc: 'private',
    confinement: { seccomp: 'default', apparmor: 'default', no_new_privileges: false },
    capabilities: { add: [], drop: [] },
    devices: [],
    ulimits: {},
    sysctls: {},
    extra_hosts: {},
    labels: {},
    read_only: false,
    init: false,
    tty: false,
    stop_grace_period_ms: 1_000,
    ...overrides,
  };
}

export function manifest(uid: string, components: ManifestComponent[], overrides: Partial<Manifest> = {}): Manifest {
  return {
    species: 'example',
    template_version: '1.0.0',
    archetype: 'application',
    spec_hash: `sha256:${'0'.repeat(64)}`,
    profile: 'development',
    variant: null,
    instance: { uid, name: uid, server_id: 'srv_test' },
    deadline_ms: 600_000,
    components,
    routes: [],
    actions: [],
    backup: { strategy: 'none', volumes: [], dump_action: null, schedule_hint: null },
    smoke: [],
    provides: [],
    permissions: [],
    ...overrides,
  };
}
