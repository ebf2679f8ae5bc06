import type { MigrationFinding, MigrationPlan } from '@hortus/contract/resources/migrations';
import type { Manifest } from '@hortus/contract/template/manifest';
import { hostPortText, joinedPorts } from '@hortus/template/notation/port-ranges';
import { invalid, Problem } from '../../problem.ts';
import type { Queries } from '../../storage/storage.ts';
import { type DefinitionRow, tiesOf } from '../definitions/public.ts';
import type { ServerState } from '../servers/public.ts';
import { hostPathsOf, volumesOf } from './manifest-storage.ts';
import type { MigrationResources } from './resources.ts';
import { openPartOf } from './store.ts';

export interface Wanted {
  readonly accountId: string;
  readonly fromServerId: string;
  readonly definitions: readonly DefinitionRow[];
  readonly serverId: string;
  /** Throws if the target does not have the room; left out, that is not checked. */
  readonly requireRoom?: ((definition: DefinitionRow, revision: number) => Promise<void>) | undefined;
}

type Part = MigrationPlan['definitions'][number];

/** Checks everything that is known in advance. Facts only the target's daemon knows show when it starts there. */
export async function planMigration(
  queries: Queries,
  resources: MigrationResources,
  wanted: Wanted,
): Promise<MigrationPlan> {
  const { accountId, fromServerId, definitions, serverId } = wanted;
  const findings = new Findings();
  const source = await resources.server(queries, accountId, fromServerId);
  const target = await resources.server(queries, accountId, serverId);
  // An unknown server is an error of the request, not a finding of the plan.
  if (!target) throw invalid('server_id', 'there is no such server.', { reason: 'unknown' });
  if (serverId === fromServerId) findings.block('same_server', 'The definition already is on this server.');
  if (target.status === 'disabled' || target.status === 'draining')
    findings.block(target.status, `The server ${target.name} is ${target.status} and takes no new work.`);
  const parts: Part[] = [];
  for (const definition of definitions) {
    const part = await planDefinition(queries, resources, definition, wanted, findings);
    parts.push(part);
  }
  const moves = parts.some(({ running }) => running);
  const copies = parts.some(({ volumes }) => volumes.length > 0);
  if (moves) judgeServers(source, target, copies, findings);
  return {
    from_server_id: fromServerId,
    to_server_id: serverId,
    definitions: parts,
    steps: [
      ...(copies ? ['first_copy'] : []),
      ...(moves ? ['stop_source'] : []),
      ...(copies ? ['last_copy'] : []),
      ...(moves ? ['start_target'] : []),
      'switch_server',
      ...(moves ? ['release_source'] : []),
    ],
    ...findings,
  };
}

async function planDefinition(
  queries: Queries,
  resources: MigrationResources,
  definition: DefinitionRow,
  wanted: Wanted,
  findings: Findings,
): Promise<Part> {
  const { id, name } = definition;
  const none = { definition_id: id, name, running: false, volumes: [], addresses: [] };
  const block = (reason: string, message: string) => findings.block(reason, message, id);
  if (await openPartOf(queries, id)) block('migrating', `${name} is already being migrated.`);
  if (await resources.deployments.busy(queries, id))
    block('deploying', `A deployment of ${name} is running; wait for it or cancel it.`);
  const ties = await tiesOf(queries, definition);
  if (ties.length > 0)
    block(
      'bound',
      `${name} is bound to ${ties.join(', ')} on this server; bind it to something else before migrating.`,
    );
  const instance = await resources.instances.living(queries, id);
  if (!instance) return none;
  if (instance.status !== 'running' || instance.revision === null) {
    block('not_running', `${name} is ${instance.status}; start or release it before migrating.`);
    return none;
  }
  const manifest = await resources.manifest(queries, definition, instance.revision);
  await judgeManifest(queries, resources, definition, { manifest, revision: instance.revision }, wanted, findings);
  return {
    ...none,
    running: true,
    volumes: volumesOf(manifest).map(({ storage }) => storage),
    addresses: [...new Set(manifest.routes.map(({ host }) => host))],
  };
}

async function judgeManifest(
  queries: Queries,
  resources: MigrationResources,
  definition: DefinitionRow,
  { manifest, revision }: { manifest: Manifest; revision: number },
  wanted: Wanted,
  findings: Findings,
): Promise<void> {
  const { id, name } = definition;
  for (const path of hostPathsOf(manifest))
    findings.block('host_path', `${name} uses the host path ${path}, which cannot be migrated.`, id);
  const ports = manifest.components.flatMap(({ ports }) =>
    joinedPorts(ports).flatMap((port) => hostPortText(port) ?? []),
  );
  if (ports.length > 0)
    findings.warn(
      'host_port',
      `${name} needs port ${ports.join(', ')} on the target; the migration rolls back if it is in use.`,
      id,
    );
  const clash = await resources.deployments.clash(queries, id, wanted.serverId, manifest.routes);
  if (clash)
    findings.block('route_taken', `${clash.host} is used by definition ${clash.definitionId} on the target.`, id);
  try {
    await wanted.requireRoom?.(definition, revision);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    findings.block('capacity', `${name} does not fit: ${error.message}`, id);
  }
}

/** Without volumes to copy, the published messages are enough: stop, deploy and remove. */
function judgeServers(
  source: ServerState | undefined,
  target: ServerState | undefined,
  copies: boolean,
  findings: Findings,
): void {
  const both = [source, target].filter((item) => item !== undefined);
  for (const { name, connected, capabilities } of both) {
    if (!connected)
      findings.warn(
        'offline',
        `The server ${name} is not connected; the migration waits for it before stopping anything.`,
      );
    else if (copies && capabilities && !capabilities.includes('transfer-stream'))
      findings.block(
        'old_daemon',
        `The daemon of ${name} is too old to transfer volumes; a migration needs a current hortusd on both servers. Update it.`,
      );
  }
  const [from, to] = [source?.arch, target?.arch];
  if (from === undefined || to === undefined || from === to) return;
  if (copies)
    findings.block(
      'architecture',
      `The source is ${from} and the target ${to}; data cannot be moved between architectures.`,
    );
  else
    findings.warn(
      'architecture',
      `The source is ${from} and the target ${to}; the migration rolls back if an image does not exist for ${to}.`,
    );
}

class Findings {
  readonly blockers: MigrationFinding[] = [];
  readonly warnings: MigrationFinding[] = [];

  block(reason: string, message: string, definition_id: string | null = null): void {
    this.blockers.push({ reason, message, definition_id });
  }

  warn(reason: string, message: string, definition_id: string | null = null): void {
    this.warnings.push({ reason, message, definition_id });
  }
}
