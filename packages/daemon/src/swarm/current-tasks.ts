import type { NodeFacts, ServiceFacts, TaskFacts } from '../engine/cluster.ts';
import type { ContainerFacts, ContainerState } from '../engine/container-facts.ts';

/** States of tasks that a later task replaces. */
const OVER: readonly string[] = ['shutdown', 'remove', 'orphaned'];

/** States of tasks that ended without being asked to. */
const BY_ITSELF: readonly string[] = ['complete', 'failed', 'rejected'];

export const endedByItself = ({ state }: TaskFacts): boolean => BY_ITSELF.includes(state);

/**
 * The tasks that represent a service now: the newest of each slot, without those that were meant to end. A task that ended by
 * itself stays if no other follows it, because the component is not to be restarted.
 */
export function currentTasks({ id, kind, replicas }: ServiceFacts, tasks: readonly TaskFacts[]): TaskFacts[] {
  const slots = Map.groupBy(
    tasks.filter(({ service }) => service === id),
    ({ slot }) => slot,
  );
  const current = [...slots.values()].flatMap((all): TaskFacts[] => {
    const wanted = all.filter(({ desired }) => kind === 'job' || !OVER.includes(desired));
    if (wanted.length > 0) return [wanted.reduce((best, task) => (isBetter(task, best) ? task : best))];
    const last = all.reduce((newest, task) => (task.createdAt > newest.createdAt ? task : newest));
    return endedByItself(last) ? [last] : [];
  });
  return current.sort((a, b) => a.slot - b.slot).slice(0, kind === 'job' ? 1 : Math.max(replicas, 0));
}

/** During a start-first update two tasks share a slot: the one that serves counts until the other does. */
function isBetter(task: TaskFacts, known: TaskFacts): boolean {
  const [serves, served] = [task.state === 'running', known.state === 'running'];
  return serves === served ? task.createdAt > known.createdAt : serves;
}

/** Describes a task like a container, for tasks of other nodes and those without a container. */
export function factsOfTask(service: ServiceFacts, task: TaskFacts, node: NodeFacts | undefined): ContainerFacts {
  const state = stateOf(task);
  const isRunning = state === 'running';
  return {
    ...bare(service),
    id: task.containerId || task.id,
    name: `${service.name}.${task.slot}.${task.id}`,
    image: task.image,
    state,
    // The engine reports a task as running once its check has passed.
    health: isRunning ? 'healthy' : state === 'created' ? 'starting' : 'none',
    exitCode: task.exitCode ?? 0,
    error: state === 'created' ? '' : task.error,
    startedAt: isRunning ? task.at : undefined,
    finishedAt: state === 'exited' ? task.at : undefined,
    createdAt: task.createdAt,
    labels: task.labels,
    hostNetwork: task.hostNetwork,
    ...(node && { node: { id: node.id, name: node.name } }),
  };
}

/** Describes a service without tasks: one that was stopped, or whose tasks are not scheduled yet. */
export function factsOfService(service: ServiceFacts): ContainerFacts {
  const isStopped = service.replicas === 0;
  return { ...bare(service), id: service.id, state: isStopped ? 'exited' : 'created' };
}

function stateOf({ state, error }: TaskFacts): ContainerState {
  if (state === 'running') return 'running';
  if (state === 'complete' || state === 'failed' || state === 'shutdown') return 'exited';
  if (state === 'rejected' || state === 'orphaned') return 'dead';
  if (state === 'remove') return 'removing';
  // Waiting for a node that does not exist is a failure until one appears.
  return state === 'pending' && error !== '' ? 'dead' : 'created';
}

const bare = ({ name, image, labels }: ServiceFacts): ContainerFacts => ({
  id: '',
  name,
  image,
  imageId: '',
  state: 'created',
  health: 'none',
  exitCode: 0,
  outOfMemory: false,
  error: '',
  restarts: 0,
  startedAt: undefined,
  finishedAt: undefined,
  createdAt: 0,
  pid: 0,
  labels,
  env: [],
  user: '',
  entrypoint: [],
  command: [],
  // The Swarm replaces tasks that end, so one that stays ended was stopped.
  restartPolicy: 'always',
  stopGraceMs: 10_000,
  hostNetwork: false,
  privileged: false,
  readOnlyRoot: false,
  capabilities: { add: [], drop: [] },
  ports: [],
  mounts: [],
  networks: [],
  limits: { cpus: 0, memoryBytes: 0, memoryReservationBytes: 0, pids: 0 },
});
