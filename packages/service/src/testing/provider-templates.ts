import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeCatalog } from './catalog-folder.ts';

const IMAGE = 'image: {repository: docker.io/library/busybox, tag: 1.36.1}';

/** A database that other instances use by its host name on the server. */
const POOL = `
slug: pool
name: Pool
version: 1.0.0
archetype: application
taxonomy: {kingdom: data, family: database}
${IMAGE}
inputs:
  optional: [{name: DB_NAME, type: string, default: pool}]
secrets:
  DB_PASSWORD: {generate: password, length: 24}
vars: {dsn: "postgres://pool:\${secrets.DB_PASSWORD | urlencode}@\${components.main.host}:5432/\${inputs.DB_NAME}"}
env: {PASSWORD: "\${secrets.DB_PASSWORD}"}
provides:
  - class: database.postgres
    attributes: {host: "\${components.main.host}", port: "5432", password: "\${secrets.DB_PASSWORD}", url: "\${vars.dsn}"}
`;

/** A sign-in that other instances use by its public address. */
const GATE = `
slug: gate
name: Gate
version: 1.0.0
archetype: application
taxonomy: {kingdom: infrastructure, family: networking}
${IMAGE}
inputs:
  required: [{name: WEB_HOSTNAME, type: domain}]
routes: [{name: web, port: 8080, host: "\${inputs.WEB_HOSTNAME}", tls: "off"}]
provides: [{class: identity.oidc, attributes: {issuer: "\${routes.web.url}"}}]
`;

/** Uses a database, a mail server and a sign-in. */
const DESK = `
slug: desk
name: Desk
version: 1.0.0
archetype: multi_component_saas
taxonomy: {kingdom: applications, family: notes}
inputs:
  optional: [{name: SMTP_HOST, type: domain, placeholder: smtp.example.org}]
vars: {mail: "\${needs.mail.host:-\${inputs.SMTP_HOST}}"}
components:
  app:
    ${IMAGE}
    env:
      DATABASE_URL: "\${needs.db.url}"
      MAIL: "\${vars.mail}"
      MAIL_PASSWORD: "\${needs.mail.password}"
      ISSUER: "\${needs.login.issuer}"
  aside:
    ${IMAGE}
    env: {MAIL: "\${vars.mail}"}
needs:
  - {class: database.postgres, as: db}
  - {class: email.smtp, as: mail, optional: true}
  - {class: identity.oidc, as: login, optional: true}
`;

/** Uses a sign-in as a registered client. */
const KIOSK = `
slug: kiosk
name: Kiosk
version: 1.0.0
archetype: application
taxonomy: {kingdom: applications, family: notes}
${IMAGE}
env: {CLIENT_ID: "\${needs.login.client_id}", DISCOVERY: "\${needs.login.discovery_url}"}
needs: [{class: identity.oidc, as: login, optional: true}]
`;

const shelves = { 'database/pool': POOL, 'networking/gate': GATE, 'notes/desk': DESK, 'notes/kiosk': KIOSK };

/** Writes the catalog of the tests with templates that provide something or need it. */
export async function writeProviders(folder: string): Promise<string> {
  await writeCatalog(folder);
  for (const [shelf, text] of Object.entries(shelves)) {
    await mkdir(join(folder, shelf), { recursive: true });
    await writeFile(join(folder, shelf, 'template.yaml'), text);
  }
  return folder;
}
