import type { ManifestHealthcheck } from '@hortus/contract/template/manifest';
import type { ContainerFacts } from '../engine/container-facts.ts';
import type { Engine } from '../engine/engine.ts';
import type { Health, Status } from '../journal/rollout-result.ts';
import { label } from '../plan/labels.ts';
import { isNextName } from '../plan/names.ts';
import { statusOf, worstHealth, worstStatus } from './container-status.ts';
import { probe } from './probe.ts';

export interface ObservedComponent {
  name: string;
  kind: 'service' | 'job';
  container_id: string;
  container_name: string;
  status: Status;
  health: Health;
  image: string;
  /** Milliseconds since the epoch. */
  started_at: number | null;
  exit_code: number | null;
  /** Nodes of a Swarm that run it. */
  nodes?: string[];
}

export interface ObservedInstance {
  instance_uid: string;
  definition_id: string;
  container_id: string;
  container_name: string;
  status: Status;
  health: Health;
  started_at: number | null;
  components: ObservedComponent[];
}

export type Observed = Pick<Engine, 'containers' | 'exec'>;

/**
 * Reads the state of all instances of a server, or of one, from the engine alone, so that a restart of the daemon loses
 * nothing.
 */
export async function observe(engine: Observed, serverId: string, only?: string): Promise<ObservedInstance[]> {
  const named = only === undefined ? {} : { [label.instance]: only };
  const all = await engine.containers({ labels: { [label.managed]: 'true', [label.server]: serverId, ...named } });
  const instances = new Map<string, ContainerFacts[]>();
  for (const container of all) {
    const uid = container.labels[label.instance];
    if (uid === undefined || container.labels[label.component] === undefined) continue;
    if (container.labels[label.execution] !== undefined) continue;
    // Almost gone. If it counted as stopped it would look like a deliberate stop and never be healed.
    if (container.state === 'removing') continue;
    instances.set(uid, [...(instances.get(uid) ?? []), container]);
  }
  return await Promise.all([...instances].map(([uid, containers]) => observeInstance(engine, uid, containers)));
}

async function observeInstance(engine: Observed, uid: string, found: ContainerFacts[]): Promise<ObservedInstance> {
  const lasting = found.filter(({ name }) => !isNextName(name));
  // During a first rollout no container has its final name yet.
  const containers = lasting.length > 0 ? lasting : found;
  const sorted = containers.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const parts = await Promise.all(sorted.map((facts) => observeComponent(engine, facts)));
  const services = parts.filter(({ kind }) => kind === 'service');
  const primary = sorted.find(({ labels }) => labels[label.primary] === 'true') ?? (sorted[0] as ContainerFacts);
  return {
    instance_uid: uid,
    definition_id: primary.labels[label.definition] ?? '',
    container_id: primary.id,
    // Final name of the primary container. The service addresses the instance by it, also while that container is lost.
    container_name: uid,
    status: lasting.length === 0 ? 'starting' : worstStatus(services.map(({ status }) => status)),
    health: worstHealth(services.map(({ health }) => health)),
    started_at: primary.startedAt ?? null,
    components: parts,
  };
}

async function observeComponent(engine: Observed, facts: ContainerFacts): Promise<ObservedComponent> {
  const status = statusOf(facts);
  return {
    name: facts.labels[label.component] ?? '',
    kind: facts.labels[label.kind] === 'job' ? 'job' : 'service',
    container_id: facts.id,
    container_name: facts.name,
    status,
    health: status === 'running' ? await healthOf(engine, facts) : 'unknown',
    image: facts.substitute ?? facts.image,
    started_at: facts.startedAt ?? null,
    exit_code: facts.state === 'exited' ? facts.exitCode : null,
    ...(facts.nodeName !== undefined && { nodes: [facts.nodeName] }),
  };
}

/** Merges replicas into one component, as the service stores them: with the worst state and all nodes. */
export function withoutReplicas(parts: readonly ObservedComponent[]): ObservedComponent[] {
  return [...Map.groupBy(parts, ({ name }) => name).values()].map((replicas) => {
    const [first] = replicas as [ObservedComponent, ...ObservedComponent[]];
    const nodes = [...new Set(replicas.flatMap((replica) => replica.nodes ?? []))].sort();
    return {
      ...first,
      status: worstStatus(replicas.map(({ status }) => status)),
      health: worstHealth(replicas.map(({ health }) => health)),
      ...(first.nodes && { nodes }),
    };
  });
}

/**
 * Returns the engine's health if it checks; otherwise probes. A single probe can fail on a busy machine, so it takes
 * two failures after the start period to report `unhealthy`. The engine says `starting` until its first check, which
 * comes a whole interval after the start: until then the daemon probes, as the rollout did.
 */
async function healthOf(engine: Observed, facts: ContainerFacts): Promise<Health> {
  const check = checkOf(facts);
  if (facts.health === 'starting') return check && (await probe(engine, facts, check)).ok ? 'healthy' : 'starting';
  if (facts.health !== 'none') return facts.health;
  if (check === undefined || check.test !== undefined) return 'unknown';
  const isWell = async () => (await probe(engine, facts, check)).ok;
  if ((await isWell()) || (await isWell())) return 'healthy';
  const age = Date.now() - (facts.startedAt ?? 0);
  return age < check.start_period_ms ? 'starting' : 'unhealthy';
}

function checkOf({ labels }: ContainerFacts): ManifestHealthcheck | undefined {
  const text = labels[label.probe];
  return text === undefined ? undefined : (JSON.parse(text) as ManifestHealthcheck);
}
