import { randomBytes } from 'node:crypto';
import { type BackupSettings, standardBackup } from '@hortus/contract/resources/backup-settings';
import type { DefinitionCreate } from '@hortus/contract/resources/definitions';
import type { Placement } from '@hortus/contract/resources/placement-records';
import type { Overrides } from '@hortus/contract/template/overrides';
import { appHosts, missingHosts } from '@hortus/template/inputs/app-hosts';
import { type Inputs, isSecretInput, splitSecretInputs } from '@hortus/template/inputs/inputs';
import { generateSecrets } from '@hortus/template/secrets/secrets';
import type { Principal } from '../../identity/principal.ts';
import { conflict, invalid } from '../../problem.ts';
import { accepted, type RequestInput } from '../../records/accepted-inputs.ts';
import { slugify } from '../../records/slug.ts';
import type { Queries } from '../../storage/storage.ts';
import type { Work } from '../../workers/job.ts';
import type { OpenedConfig } from '../saved-configs/public.ts';
import { appsDomainOf, type Needs } from '../servers/public.ts';
import { type Catalog, type CatalogTemplate, checkInput, checkProfile, checkVariant } from '../templates/public.ts';
import { type Bindings, readBindings } from './bindings.ts';
import type { Naming } from './naming.ts';
import { readOverrides } from './overrides.ts';

/** The choice of a server; checked again in the transaction that creates the definition. */
interface Placed {
  readonly needs: Needs;
  readonly placement: Placement;
}

/** A creation request of either published form, validated as far as possible without the database. */
export interface Order extends Naming {
  /** Id reserved beforehand; generated otherwise. */
  readonly id?: string;
  readonly template: CatalogTemplate;
  readonly name: string;
  readonly serverId: string;
  readonly tenantId: string | null;
  readonly profile: string;
  readonly variant: string | null;
  readonly watchSeconds: number;
  readonly backup: BackupSettings | undefined;
  readonly heal: boolean;
  /** What meets its needs; none by default. */
  readonly bindings?: Bindings;
  /** What it sets instead of its template; nothing by default. */
  readonly overrides?: Overrides;
  /** Includes the hosts that the service has chosen. */
  readonly plain: Inputs;
  /** Returns these hosts for another uid; undefined if all were given. */
  readonly hostsFor?: ((uid: string) => Inputs) | undefined;
  readonly secret: Readonly<Record<string, string>>;
  /** Generated before the transaction, because creating a key pair is slow. */
  readonly generated: Readonly<Record<string, string>>;
  /** Id of the deploy test or rehearsal, if the definition belongs to one. */
  readonly testId?: string;
  /** The definition that it is an isolated copy of. */
  readonly copyOf?: string;
  /** How its server was chosen, if the service chose it. */
  readonly placed?: Placed;
  /** Whether its server may be drained. */
  readonly ignoreDrain?: boolean;
}

export interface OrderDeps {
  readonly reader: Queries;
  readonly catalog: Catalog;
  readonly work: Work;
}

/** Reads a creation request; values of a saved config apply where the request has none. */
export async function readOrder(
  deps: OrderDeps,
  principal: Principal,
  body: DefinitionCreate,
  config?: OpenedConfig,
): Promise<Order> {
  const { accountId } = principal;
  const template = chooseTemplate(deps.catalog, accountId, body, config);
  // The interface requires instance_uid in the first form and name in the second; each is derived from the other.
  if (body.template_id === undefined && body.instance_uid === undefined) throw invalid('instance_uid', 'is required');
  if (body.template_id !== undefined && body.name === undefined) throw invalid('name', 'is required');
  const instanceUid = body.instance_uid ?? uidFrom(body.name ?? '', template.item.species);
  if (body.server_id === undefined) throw invalid('server_id', 'is required');
  const input = inputsOf(body, config);
  requireSealed(template, config, body);
  const missing = missingHosts(template.spec, input);
  const domain = missing.length > 0 ? await appsDomainOf(deps.reader, accountId, body.server_id) : undefined;
  const hostsFor = domain === undefined ? undefined : (uid: string) => appHosts(missing, uid, domain);
  const values = { ...input, ...hostsFor?.(instanceUid) };
  const check = await checkInput(deps.reader, deps.work, template, values, { mode: 'create' });
  const { plain, secret } = splitSecretInputs(template.spec, accepted(check, body).values);
  const profile = checkProfile(template, body.profile ?? config?.profile ?? 'development');
  const tenantId = body.tenant_id ?? null;
  const bound = { template, profile, serverId: body.server_id, tenantId, instanceUid };
  return {
    template,
    bindings: await readBindings(deps.reader, deps.catalog, principal, bound, body.bindings),
    overrides: readOverrides(template, body.overrides),
    name: body.name ?? instanceUid,
    instanceUid,
    uidIsDerived: body.instance_uid === undefined,
    serverId: body.server_id,
    tenantId,
    profile,
    variant: checkVariant(template, body.variant ?? config?.variant ?? null),
    watchSeconds: body.watch_seconds ?? 60,
    backup: body.backup && { ...standardBackup, ...body.backup },
    heal: body.heal ?? false,
    plain,
    hostsFor,
    secret,
    generated: await generateSecrets(template.spec),
    ignoreDrain: body.ignore_drain ?? false,
  };
}

/** Falls back to the species if the name has no ASCII letters or digits. */
const uidFrom = (name: string, species: string): string =>
  slugify(name) || slugify(`${species.slice(0, 40)}-${randomBytes(4).toString('hex')}`);

function chooseTemplate(
  catalog: Catalog,
  accountId: string,
  body: DefinitionCreate,
  config?: OpenedConfig,
): CatalogTemplate {
  const template = namedTemplate(
    catalog,
    accountId,
    config && !body.template_id ? { species: config.species, ...body } : body,
  );
  if (config && config.species !== template.item.species)
    throw conflict('saved_config_id', 'other_species', `this config is for the species ${config.species}.`);
  return template;
}

function namedTemplate(catalog: Catalog, accountId: string, body: DefinitionCreate): CatalogTemplate {
  if (body.species !== undefined && body.template_id !== undefined)
    throw invalid('template_id', 'cannot be given together with species');
  if (body.species !== undefined) {
    const template = catalog.newestOf(body.species, accountId);
    if (!template) throw invalid('species', `there is no published species ${body.species}`, { reason: 'unknown' });
    return template;
  }
  if (body.template_id === undefined) throw invalid('species', 'give species or template_id');
  const template = catalog.visibleById(body.template_id, accountId);
  if (template?.item.status !== 'published')
    throw invalid('template_id', 'there is no such published template', { reason: 'unknown' });
  return template;
}

function inputsOf(body: DefinitionCreate, config?: OpenedConfig): object {
  const own = valuesOf(body);
  const input = config ? { ...config.inputs, ...own } : own;
  if (input === undefined) throw invalid(body.species === undefined ? 'params' : 'inputs', 'is required');
  return input;
}

/** Refuses to show a password that was saved for a version of the species that kept it secret. */
function requireSealed({ spec }: CatalogTemplate, config: OpenedConfig | undefined, body: DefinitionCreate): void {
  const own = valuesOf(body) ?? {};
  for (const name of config?.secrets ?? [])
    if (!Object.hasOwn(own, name) && !isSecretInput(spec, name))
      throw conflict(
        `inputs.${name}`,
        'not_secret',
        `is a secret in this config, and would be shown by this version of the template; give a value for it.`,
      );
}

/** Reads `inputs` or its alias `params`. */
export function valuesOf(body: RequestInput): object | undefined {
  if (body.inputs !== undefined && body.params !== undefined)
    throw invalid('params', 'is another name for inputs; give only one of them');
  return (body.inputs ?? body.params) as object | undefined;
}
