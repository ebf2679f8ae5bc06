/** A template with two services, a job, files, profiles, an action and a backup, to cover most of the format. */
export const INKWELL = `
slug: inkwell
name: Inkwell
version: 1.2.0
app_version: 4.2.1
archetype: application
taxonomy: {kingdom: applications, family: blog, tags: [cms]}
image:
  repository: registry.example.org/inkwell/inkwell
  tag: 4.2.1
  variants: [{id: debian, tag: 4.2.1, default: true}, {id: alpine, tag: 4.2.1-alpine}]
inputs:
  required: [{name: WEB_HOSTNAME, type: domain, label: Address of the site}]
  optional:
    - {name: SITE_TITLE, type: string, default: My blog, max: 80}
    - {name: LOG_LEVEL, type: enum, default: info, options: [{value: info}, {value: debug}]}
    - {name: ADMIN_EMAIL, type: email}
    - {name: SMTP_PASSWORD, type: password}
secrets:
  DB_PASSWORD: {generate: password, length: 32}
  SESSION_KEY: {generate: base64, length: 48, unit: bytes}
vars:
  dsn: "postgres://inkwell:\${secrets.DB_PASSWORD | urlencode}@\${components.db.host}:5432/inkwell"
routes: [{name: web, component: app, port: 8080, host: "\${inputs.WEB_HOSTNAME}", path: /, tls: auto, primary: true}]
components:
  app:
    image: "\${template.image}"
    env:
      BASE_URL: "\${routes.web.url}"
      DATABASE_URL: "\${vars.dsn}"
      SITE_TITLE: "\${inputs.SITE_TITLE}"
      LOG_LEVEL: "\${inputs.LOG_LEVEL}"
      SESSION_KEY: "\${secrets.SESSION_KEY}"
      SMTP_PASSWORD: "\${inputs.SMTP_PASSWORD}"
      WORKERS: 2
    depends_on: {db: healthy, migrate: completed}
    healthcheck: {http: {port: 8080, path: /healthz}, interval: 5s, timeout: 3s, retries: 5, start_period: 40s}
    storage: [{name: uploads, mount_path: /srv/uploads, critical: true}]
    files: [{mount_path: /etc/inkwell/site.ini, mode: "0640", content: "email = \${inputs.ADMIN_EMAIL:-}\\n"}]
    resources: {cpu: "1", memory: 512Mi}
  migrate: {kind: job, run: before_start, irreversible: true, image: "\${template.image}", command: [inkwell, migrate], depends_on: {db: healthy}}
  db:
    image: {repository: docker.io/library/postgres, tag: "17.5"}
    env: {POSTGRES_USER: inkwell, POSTGRES_PASSWORD: "\${secrets.DB_PASSWORD}"}
    healthcheck: {test: [pg_isready, -U, inkwell]}
    storage: [{name: dbdata, mount_path: /var/lib/postgresql/data, critical: true}]
profiles:
  minimal: {components: {app: {resources: {memory: 256Mi}}}}
  production: {components: {app: {resources: {memory: 1Gi}}}}
provides: [{class: http.blog}]
actions:
  - name: Dump database
    slug: db-dump
    description: Writes a logical dump.
    type: exec
    component: db
    command: [pg_dump, -U, inkwell, "\${params.schema_only:+--schema-only}", inkwell]
    timeout: 300s
    params: [{name: schema_only, type: boolean, required: false, default: false}]
backup:
  strategy: both
  volumes: [{name: uploads, critical: true}]
  dump_action: db-dump
  restore_command: [psql, --username=inkwell, --dbname=inkwell, --set=ON_ERROR_STOP=1, --quiet]
  schedule_hint: daily
smoke: [{http: {route: web, path: /, expect: 200}}]
notes: "Open \${routes.web.url}"
`;

/** A minimal template. */
export const SEED = `
slug: seed
name: Seed
version: 1.0.0
archetype: worker
taxonomy: {kingdom: applications, family: test}
image: {repository: docker.io/library/busybox, tag: 1.36.1}
`;
