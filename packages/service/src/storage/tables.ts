import type { Insertable, Selectable } from 'kysely';
import type { CatalogTables } from './tables/catalog.ts';
import type { ConfirmationTables } from './tables/confirmations.ts';
import type { DaemonUpdateTables } from './tables/daemon-updates.ts';
import type { DefinitionTables } from './tables/definitions.ts';
import type { EvacuationTables } from './tables/evacuations.ts';
import type { GardenTables } from './tables/gardens.ts';
import type { IdentityTables } from './tables/identity.ts';
import type { InstanceTables } from './tables/instances.ts';
import type { MoveTables } from './tables/moves.ts';
import type { NotificationTables } from './tables/notifications.ts';
import type { RehearsalTables } from './tables/rehearsals.ts';
import type { ServerTables } from './tables/servers.ts';
import type { ShellTables } from './tables/shells.ts';
import type { WebhookTables } from './tables/webhooks.ts';
import type { WorkingTables } from './tables/workings.ts';

export interface Tables
  extends WorkingTables,
    IdentityTables,
    CatalogTables,
    ServerTables,
    DaemonUpdateTables,
    DefinitionTables,
    InstanceTables,
    ConfirmationTables,
    ShellTables,
    MoveTables,
    EvacuationTables,
    GardenTables,
    RehearsalTables,
    WebhookTables,
    NotificationTables {}

export type Row<Table extends keyof Tables> = Selectable<Tables[Table]>;
export type NewRow<Table extends keyof Tables> = Insertable<Tables[Table]>;
