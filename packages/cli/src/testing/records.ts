import type { Execution, ListedAction } from '@hortus/contract/resources/actions';
import { standardBackup } from '@hortus/contract/resources/backup-settings';
import type { CapacityHistory } from '@hortus/contract/resources/capacity';
import type { Definition } from '@hortus/contract/resources/definition-records';
import type { Deployment, DeploymentDetail, LogLine } from '@hortus/contract/resources/deployment-records';
import type { AgentBinary } from '@hortus/contract/resources/implant';
import type { Instance } from '@hortus/contract/resources/instance-records';
import type { ComponentUsage, InstanceMetrics, ServerReading } from '@hortus/contract/resources/metrics';
import type { DeploymentPlan } from '@hortus/contract/resources/plan-records';
import type { Server } from '@hortus/contract/resources/server-records';
import type { Template } from '@hortus/contract/resources/templates';

/** Records in the shape of the service's responses; a test overrides only relevant fields. */

const at = (second: number): string => new Date(Date.parse('2030-01-01T12:00:00Z') + second * 1000).toISOString();
const idOf = (prefix: string, number: number): string => `${prefix}_${String(number).padStart(26, '0')}`;
const hash = `sha256:${'a'.repeat(64)}`;
const written = { created_at: at(0), updated_at: at(0) };

export const ids = {
  server: idOf('srv', 1),
  template: idOf('tpl', 1),
  definition: idOf('def', 1),
  deployment: idOf('dep', 1),
  instance: idOf('ins', 1),
  execution: idOf('exe', 1),
};

export const server = (over: Partial<Server> = {}): Server => ({
  id: ids.server,
  name: 'web-1',
  kind: 'server',
  cluster: null,
  environment: 'production',
  description: null,
  deploy_tests: false,
  status: 'online',
  trusted: true,
  connected: true,
  last_seen_at: at(0),
  duplicate_seen_at: null,
  old_key_valid_until: null,
  identity: {
    status: 'pinned',
    fingerprint: `sha256:${'b'.repeat(64)}`,
    pinned_at: at(0),
    conflicting_fingerprint: null,
    conflict_seen_at: null,
  },
  labels: {},
  daemon: {
    newer_version: null,
    refused: null,
    version: '0.1.0',
    os: 'linux',
    arch: 'amd64',
    engine: 'Docker 28.2.2',
    address: '127.0.0.1',
    ingress: 'caddy 2.6.2',
    capabilities: [],
  },
  fingerprint: null,
  networks: null,
  apps_domain: null,
  ...written,
  ...over,
});

const question = { immutable: false, required: true };
const required = [
  { name: 'WEB_HOSTNAME', type: 'domain', label: 'Address of the reader', placeholder: 'feeds.example.org' },
  { name: 'ADMIN_PASSWORD', type: 'password', label: 'Password of the first user', min: 8 },
];
const optional = [
  { name: 'MODE', type: 'enum', default: 'plain', options: [{ value: 'plain' }, { value: 'mail' }] },
  { name: 'NOTE', type: 'text', label: 'A note' },
];
const conditional = { name: 'MAIL_HOST', type: 'domain', label: 'Mail server', when: { MODE: 'mail' } };

export const agent = (arch: AgentBinary['arch']): AgentBinary => ({
  os: 'linux',
  arch,
  version: '1.2.3',
  size: 1_000,
  sha256: 'c'.repeat(64),
  file_name: `hortusd-linux-${arch}`,
  built_at: at(0),
  download_url: `https://hortus.example.org/api/v1/implant/linux/${arch}/download`,
  release: null,
});

export const template = (): Template => ({
  id: ids.template,
  species: 'reader',
  slug: 'reader',
  name: 'Reader',
  description: 'Reads feeds.',
  archetype: 'application',
  family: 'feed',
  version: '1.0.0',
  app_version: '2.2.19',
  taxonomy: { kingdom: 'applications', family: 'feed', species: 'reader', variant: null, specimen: null, tags: [] },
  spec_hash: hash,
  status: 'published',
  deprecated: false,
  featured: false,
  verified: null,
  author: null,
  created_at: at(0),
  mark_url: '/api/v1/templates/reader/mark.svg',
  logo: null,
  spec: {
    image: 'docker.io/example/reader:2.2.19',
    inputs: {
      required: [...required, conditional].map((item) => ({ ...item, required: true })),
      optional: optional.map((item) => ({ ...item, required: false })),
    },
    secrets: {},
    routes: [],
    healthcheck: {},
    storage: [],
    canonical: {
      image: { repository: 'docker.io/example/reader', tag: '2.2.19', variants: [] },
      inputs: {
        required: [...required, conditional].map((item) => ({ ...question, ...item })),
        optional: optional.map((item) => ({ ...question, ...item })),
      },
      secrets: {},
      profiles: {},
      routes: [{ name: 'web', host: '${inputs.WEB_HOSTNAME}', primary: true }],
      actions: [],
    },
  },
});

export const definition = (over: Partial<Definition> = {}): Definition => ({
  id: ids.definition,
  backup: standardBackup,
  name: 'feeds',
  instance_uid: 'feeds',
  species: 'reader',
  family: 'feed',
  template_version: '1.0.0',
  template_id: ids.template,
  spec_hash: hash,
  profile: 'development',
  bindings: {},
  variant: null,
  inputs: { WEB_HOSTNAME: 'feeds.example.org' },
  secret_inputs: ['ADMIN_PASSWORD'],
  server_id: ids.server,
  tenant_id: null,
  status: 'active',
  current_revision: 3,
  container_name: 'hortus-feeds',
  watch_seconds: 60,
  deploy_test: false,
  copy_of: null,
  heal: false,
  ...written,
  ...over,
});

export const deployment = (over: Partial<Deployment> = {}): Deployment => ({
  id: ids.deployment,
  definition_id: ids.definition,
  server_id: ids.server,
  instance_id: null,
  status: 'pending',
  kind: 'deploy',
  rollback_of: null,
  gap_ms: null,
  revision: 4,
  template_id: ids.template,
  spec_hash: hash,
  reason: null,
  error: null,
  images: [],
  preparation: null,
  backup_id: null,
  log_dropped: false,
  cancelling: false,
  created_by: null,
  started_at: null,
  finished_at: null,
  ...written,
  ...over,
});

export const line = (number: number, step: string | null, message: string, more: Partial<LogLine> = {}): LogLine => ({
  number,
  at: at(number),
  level: 'info',
  step,
  message,
  ...more,
});

export const detail = (over: Partial<DeploymentDetail> = {}): DeploymentDetail => ({
  ...deployment(),
  logs: [],
  last_lines: [],
  logs_truncated: false,
  ...over,
});

export const deploymentPlan = (overrides: Partial<DeploymentPlan> = {}): DeploymentPlan => ({
  definition_id: ids.definition,
  server_id: ids.server,
  instance_id: ids.instance,
  revision: 2,
  deployed_revision: 1,
  spec_hash: `sha256:${'1'.repeat(64)}`,
  plan_hash: `sha256:${'2'.repeat(64)}`,
  nothing_to_do: false,
  interruption: false,
  components: [],
  pulls: [],
  jobs: [],
  routes: [],
  permissions: [],
  warnings: [],
  ...overrides,
});

export const instance = (over: Partial<Instance> = {}): Instance => ({
  id: ids.instance,
  definition_id: ids.definition,
  server_id: ids.server,
  name: 'feeds',
  instance_uid: 'feeds',
  species: 'reader',
  family: 'feed',
  container_id: 'c0ffee',
  container_name: 'hortus-feeds',
  status: 'running',
  health: 'healthy',
  revision: 4,
  url: 'https://feeds.example.org',
  components: [],
  drift: [],
  drifted_at: null,
  started_at: at(0),
  uptime_seconds: 125,
  last_reported_at: at(0),
  ...written,
  ...over,
});

export const action = (over: Partial<ListedAction> = {}): ListedAction => ({
  name: 'Dump database',
  slug: 'db-dump',
  description: 'Writes it as SQL.',
  type: 'exec',
  timeout: '300s',
  dangerous: false,
  params: [],
  ...over,
});

export const execution = (over: Partial<Execution> = {}): Execution => ({
  id: ids.execution,
  instance_id: ids.instance,
  server_id: ids.server,
  slug: 'db-dump',
  kind: 'ordered',
  name: 'Dump database',
  status: 'pending',
  params: {},
  exit_code: null,
  output: null,
  output_truncated: false,
  output_dropped: false,
  error: null,
  cancelling: false,
  outcome: null,
  created_by: null,
  created_at: at(0),
  sent_at: null,
  started_at: null,
  finished_at: null,
  ...over,
});

/** Returns the time `second` seconds after the creation of the records. */
export const moment = at;
export const recordId = idOf;

const series = { range: '1h' as const, from: at(0), to: at(3600), step_seconds: 60 };

export const capacityHistory = (...used: number[]): CapacityHistory => ({
  server_id: ids.server,
  ...series,
  points: used.map((percent, minute) => ({
    at: at(60 * minute),
    cpu: { used_percent: percent / 2, max_percent: percent },
    memory: { used: 1, max_used: 1, free: 1 },
    disk: { used: 1, free: 1 },
  })),
});

export const instanceMetrics = (...used: number[]): InstanceMetrics => ({
  instance_id: ids.instance,
  ...series,
  components: ['main'],
  latest: null,
  points: used.map((percent, minute) => ({
    at: at(60 * minute),
    cpu_percent: percent / 2,
    cpu_percent_max: percent,
    memory_bytes: 2 ** 20,
    memory_bytes_max: percent * 2 ** 20,
    ...traffic,
  })),
});

const traffic = {
  received_bytes_per_second: 0,
  sent_bytes_per_second: 0,
  read_bytes_per_second: 0,
  written_bytes_per_second: 0,
};

export const componentUsage = (over: Partial<ComponentUsage> = {}): ComponentUsage => ({
  component: 'main',
  cpu_percent: 12.5,
  memory_bytes: 2 ** 20,
  ...traffic,
  ...over,
});

export const serverReading = (over: Partial<ServerReading> = {}): ServerReading => ({
  server_id: ids.server,
  at: at(0),
  live: false,
  memory: { used: 2 ** 30, free: 3 * 2 ** 30 },
  cpu: { cores: 4, used_percent: 25 },
  disk: { used: 50e9, free: 150e9 },
  network: null,
  instances: [{ instance_id: ids.instance, instance_uid: 'feeds', name: 'Feeds', components: [componentUsage()] }],
  ...over,
});
