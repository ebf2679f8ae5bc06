const id = (prefix: string) => `${prefix}_${'0'.repeat(26)}`;

export const ids = {
  instance: id('ins'),
  definition: id('def'),
  deployment: id('dep'),
  execution: id('exe'),
  upgrade: id('upg'),
  backup: id('bkp'),
  confirmation: id('cnf'),
  server: id('srv'),
};
const at = '2030-01-01T00:00:00.000Z';

const server = {
  id: ids.server,
  name: 'web-1',
  environment: 'production',
  status: 'online',
  daemon: { engine: 'Docker 20.10' },
};
const definition = {
  id: ids.definition,
  instance_uid: 'blog',
  name: 'Our blog',
  status: 'active',
  current_revision: 2,
  profile: 'development',
  variant: null,
  inputs: { TITLE: 'old' },
  secret_inputs: ['SMTP_PASSWORD'],
};
const instance = {
  id: ids.instance,
  definition_id: ids.definition,
  server_id: ids.server,
  instance_uid: 'blog',
  name: 'Our blog',
  species: 'inkwell',
  status: 'running',
  health: 'unhealthy',
  revision: 2,
  started_at: at,
  url: 'https://blog.example.org',
  drift: [{ field: 'env.TITLE', component: 'main' }],
  components: [{ name: 'main', status: 'running', health: 'unhealthy', image: 'inkwell:1' }],
};
const deployment = {
  id: ids.deployment,
  definition_id: ids.definition,
  kind: 'deploy',
  revision: 2,
  status: 'failed',
  reason: 'unhealthy',
  error: 'main did not become healthy',
  created_at: at,
  started_at: at,
  finished_at: at,
  logs: [{ level: 'error', step: 'wait_healthy', message: 'main is unhealthy' }],
  last_lines: ['cannot open the database'],
};
const earlier = {
  ...deployment,
  id: `dep_${'1'.repeat(26)}`,
  revision: 1,
  status: 'success',
  reason: null,
  error: null,
};
const execution = {
  id: ids.execution,
  slug: 'dump',
  status: 'completed',
  exit_code: 0,
  error: null,
  output: 'dumped 3 tables\n',
};
const upgrade = {
  id: ids.upgrade,
  instance_name: 'blog',
  species: 'inkwell',
  from_version: '1.0.0',
  to_version: '1.1.0',
  status: 'available',
  ready: true,
  step: null,
  reason: null,
  error: null,
  deployment_id: null,
  changes: [{ area: 'image', name: 'inkwell', change: 'changed', component: 'main' }],
  conflicts: [],
  new_inputs: [{ name: 'REGION', type: 'string', required: true }],
  irreversible: [{ component: 'migrate', message: 'The job changes the schema.' }],
  notes: [{ version: '4.2', text: 'Themes change.' }],
  stops: ['4.1'],
  refusal: null,
  data: 'kept',
};
const backup = {
  id: ids.backup,
  instance_id: ids.instance,
  instance_uid: 'blog',
  kind: 'manual',
  status: 'completed',
  created_at: at,
};
const actions = {
  actions: [
    { slug: 'dump', name: 'Dump', description: 'Dump the database.', dangerous: false, timeout: '300s', params: [] },
    {
      slug: 'wipe',
      name: 'Wipe',
      description: 'Delete all posts.',
      dangerous: true,
      timeout: '300s',
      params: [{ name: 'pin', type: 'password' }],
    },
  ],
  backup: {
    strategy: 'both',
    volumes: [
      { name: 'posts', critical: true },
      { name: 'cache', critical: false },
    ],
  },
};
const plan = {
  definition_id: ids.definition,
  revision: 2,
  deployed_revision: 1,
  plan_hash: 'sha256:service',
  nothing_to_do: false,
  interruption: true,
  components: [
    {
      name: 'main',
      change: 'replaced',
      strategy: 'recreate',
      image: 'inkwell:1',
      changes: [{ field: 'env.TITLE', before: 'old', after: 'new' }],
    },
  ],
  jobs: [{ component: 'migrate', run: 'before_start', irreversible: true }],
  routes: [{ change: 'added', before: null, after: 'blog.example.org' }],
  permissions: [],
  warnings: ['The server is not connected; the deployment waits for it.'],
  volumes: [{ name: 'posts' }],
};

/** Answers to every call of a tool. */
export const responses = {
  'servers.list': () => ({ data: [server], pagination: { total: 1 } }),
  'templates.list': () => ({
    data: [{ species: 'inkwell', family: 'blog', description: 'A blog for one.' }],
    pagination: { total: 30 },
  }),
  'templates.read': () => ({
    data: {
      species: 'inkwell',
      version: '1.0.0',
      family: 'blog',
      description: 'A blog for one.',
      spec: {
        inputs: {
          required: [{ name: 'HOST', type: 'domain', required: true, label: 'Address' }],
          optional: [
            { name: 'TITLE', type: 'string', required: false, default: 'Notes' },
            { name: 'LOG_LEVEL', type: 'enum', required: false, default: 'info' },
          ],
        },
        storage: [{}],
        canonical: {
          profiles: { minimal: {}, production: {} },
          image: { variants: [{ id: 'alpine' }] },
          inputs: {
            required: [],
            optional: [{ name: 'LOG_LEVEL', options: [{ value: 'info' }, { value: 'debug' }] }],
          },
        },
      },
    },
  }),
  'definitions.list': () => ({ data: [definition], pagination: { total: 1 } }),
  'definitions.create': () => ({ data: definition }),
  'definitions.update': () => ({ data: { ...definition, current_revision: 3 } }),
  'definitions.archive': () => ({ data: definition }),
  'instances.list': () => ({ data: [instance], pagination: { total: 1 } }),
  'instances.start': () => ({ execution }),
  'instances.stop': () => ({ execution }),
  'instances.restart': () => ({ execution }),
  'instances.release': () => ({ execution }),
  'overview.instance': () => ({
    data: {
      instance,
      server,
      actions: actions.actions,
      deployments: { total: 9, data: [deployment, earlier] },
      backups: { total: 1, data: [backup] },
      executions: { total: 1, data: [execution] },
    },
  }),
  'logs.instance': () => ({
    data: { lines: [{ at, component: 'main', stream: 'stderr', text: 'database is locked' }] },
  }),
  'events.list': () => ({
    data: [
      {
        created_at: at,
        type: 'deployment.failed',
        resource_id: ids.deployment,
        data: { name: 'blog', reason: 'unhealthy', token: 'not shown' },
      },
    ],
  }),
  'deployments.preview': () => ({ data: plan }),
  'deployments.plan': () => ({ data: plan }),
  'deployments.execute': () => ({ data: deployment }),
  'deployments.list': () => ({ data: [deployment, earlier], pagination: { total: 2 } }),
  'deployments.read': () => ({ data: deployment }),
  'deployments.rollback': () => ({ data: { ...deployment, revision: 1 } }),
  'deployments.cancel': () => ({ data: deployment }),
  'actions.list': () => actions,
  'actions.history': () => ({ data: [] as object[] }),
  'actions.execute': () => ({ execution }),
  'actions.read': () => ({ data: execution }),
  'actions.cancel': () => ({ data: execution }),
  'upgrades.list': () => ({ data: [upgrade], pagination: { total: 1 } }),
  'upgrades.read': () => ({ data: upgrade }),
  'upgrades.apply': () => ({ data: upgrade }),
  'backups.create': () => ({ backup, execution }),
  'backups.read': () => ({ data: backup }),
  'backups.planRestore': () => ({
    data: { into: 'empty', summary: 'Only db starts and reads the dump.', warnings: [] as string[] },
  }),
  'backups.restore': () => ({ execution }),
  'confirmations.read': () => ({
    data: {
      id: ids.confirmation,
      title: 'Archive blog',
      status: 'rejected',
      url: 'http://x',
      error: null,
      result_id: null,
    },
  }),
  'confirmations.create': () => ({
    data: { id: ids.confirmation, url: 'http://hortus.test/confirmations/x', expires_at: at },
  }),
};
