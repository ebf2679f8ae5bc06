import type { Resource } from '../resource.ts';
import { resource as actions } from '../resources/actions/resource.ts';
import { resource as backups } from '../resources/backups/resource.ts';
import { resource as capacity } from '../resources/capacity/resource.ts';
import { resource as catalog } from '../resources/catalog/resource.ts';
import { resource as clusters } from '../resources/clusters/resource.ts';
import { resource as confirmations } from '../resources/confirmations/resource.ts';
import { resource as connections } from '../resources/connections/resource.ts';
import { resource as copilot } from '../resources/copilot/resource.ts';
import { resource as daemonUpdates } from '../resources/daemon-updates/resource.ts';
import { resource as definitions } from '../resources/definitions/resource.ts';
import { resource as deployments } from '../resources/deployments/resource.ts';
import { resource as diagnostics } from '../resources/diagnostics/resource.ts';
import { resource as drafts } from '../resources/drafts/resource.ts';
import { resource as evacuations } from '../resources/evacuations/resource.ts';
import { resource as events } from '../resources/events/resource.ts';
import { resource as gardens } from '../resources/gardens/resource.ts';
import { resource as implant } from '../resources/implant/resource.ts';
import { resource as imports } from '../resources/imports/resource.ts';
import { resource as installation } from '../resources/installation/resource.ts';
import { resource as instances } from '../resources/instances/resource.ts';
import { resource as keys } from '../resources/keys/resource.ts';
import { resource as logs } from '../resources/logs/resource.ts';
import { resource as manifest } from '../resources/manifest/resource.ts';
import { resource as match } from '../resources/match/resource.ts';
import { resource as members } from '../resources/members/resource.ts';
import { resource as metrics } from '../resources/metrics/resource.ts';
import { resource as migrations } from '../resources/migrations/resource.ts';
import { resource as notifications } from '../resources/notifications/resource.ts';
import { resource as overview } from '../resources/overview/resource.ts';
import { resource as playbooks } from '../resources/playbooks/resource.ts';
import { resource as recipes } from '../resources/recipes/resource.ts';
import { resource as registries } from '../resources/registries/resource.ts';
import { resource as rehearsals } from '../resources/rehearsals/resource.ts';
import { resource as savedConfigs } from '../resources/saved-configs/resource.ts';
import { resource as servers } from '../resources/servers/resource.ts';
import { resource as settings } from '../resources/settings/resource.ts';
import { resource as shells } from '../resources/shells/resource.ts';
import { resource as signIn } from '../resources/sign-in/resource.ts';
import { resource as taxonomy } from '../resources/taxonomy/resource.ts';
import { resource as templates } from '../resources/templates/resource.ts';
import { resource as tenants } from '../resources/tenants/resource.ts';
import { resource as transfers } from '../resources/transfers/resource.ts';
import { resource as upgrades } from '../resources/upgrades/resource.ts';
import { resource as vault } from '../resources/vault/resource.ts';
import { resource as webhooks } from '../resources/webhooks/resource.ts';
import type { Tables } from '../storage/tables.ts';
import type { Services } from './services.ts';

/** Every resource by the name of its folder. */
export const resources = {
  actions,
  backups,
  capacity,
  catalog,
  clusters,
  confirmations,
  connections,
  copilot,
  'daemon-updates': daemonUpdates,
  definitions,
  deployments,
  diagnostics,
  drafts,
  evacuations,
  events,
  gardens,
  implant,
  imports,
  installation,
  instances,
  keys,
  logs,
  manifest,
  match,
  members,
  metrics,
  migrations,
  notifications,
  overview,
  playbooks,
  recipes,
  registries,
  rehearsals,
  'saved-configs': savedConfigs,
  servers,
  settings,
  shells,
  'sign-in': signIn,
  taxonomy,
  templates,
  tenants,
  transfers,
  upgrades,
  vault,
  webhooks,
} satisfies Readonly<Record<string, Resource<Services>>>;

type Resources = typeof resources;

/** Tables that resources own; the other tables have their owners in `scripts/table-owners.ts`. */
export type ResourceTable = { [Name in keyof Resources]: TablesOf<Resources[Name]> }[keyof Resources];
type TablesOf<One> = One extends { readonly tables: readonly (infer Table extends keyof Tables)[] } ? Table : never;
