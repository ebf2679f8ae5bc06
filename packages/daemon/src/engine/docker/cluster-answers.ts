// Reads the responses of the Swarm's API; engines omit empty values or set them to null.
import type { NodeFacts, ServiceFacts, TaskFacts, TaskState, UpdateState } from '../cluster.ts';
import type { ServiceBody } from './service-body.ts';

export interface ServiceAnswer {
  ID: string;
  Version: { Index: number };
  Spec: ServiceBody;
  PreviousSpec?: ServiceBody | null;
  UpdateStatus?: { State?: string; Message?: string } | null;
}

export function serviceFacts({ ID, Spec, PreviousSpec, UpdateStatus }: ServiceAnswer): ServiceFacts {
  const { Mode, TaskTemplate } = Spec;
  const used = [Spec, PreviousSpec].flatMap((spec) => spec?.TaskTemplate.ContainerSpec.Secrets ?? []);
  return {
    id: ID,
    name: Spec.Name,
    labels: Spec.Labels ?? {},
    formerLabels: PreviousSpec ? (PreviousSpec.Labels ?? {}) : undefined,
    formerReplicas: PreviousSpec ? (PreviousSpec.Mode.Replicated?.Replicas ?? 1) : undefined,
    kind: Mode.ReplicatedJob ? 'job' : Mode.Replicated ? 'replicated' : Mode.Global ? 'global' : 'other',
    replicas: Mode.Replicated?.Replicas ?? 1,
    image: TaskTemplate.ContainerSpec.Image,
    constraints: TaskTemplate.Placement?.Constraints ?? [],
    aliases: (TaskTemplate.Networks ?? []).flatMap(({ Aliases }) => Aliases ?? []),
    secrets: used.map(({ SecretID }) => SecretID),
    update: UpdateStatus?.State
      ? { state: UpdateStatus.State as UpdateState, message: UpdateStatus.Message ?? '' }
      : undefined,
  };
}

export interface TaskAnswer {
  ID: string;
  ServiceID?: string;
  NodeID?: string;
  Slot?: number;
  CreatedAt: string;
  DesiredState: string;
  Spec: { ContainerSpec?: { Image?: string; Labels?: Record<string, string> | null } | null };
  NetworksAttachments?: { Network?: { Spec?: { Name?: string } } }[] | null;
  Status: {
    Timestamp?: string;
    State: string;
    Message?: string;
    Err?: string;
    ContainerStatus?: { ContainerID?: string; ExitCode?: number } | null;
  };
}

export function taskFacts({ Status, Spec, ...answer }: TaskAnswer): TaskFacts {
  return {
    id: answer.ID,
    service: answer.ServiceID ?? '',
    node: answer.NodeID ?? '',
    slot: answer.Slot ?? 1,
    state: Status.State as TaskState,
    desired: answer.DesiredState as TaskState,
    error: Status.Err ?? '',
    exitCode: Status.ContainerStatus?.ExitCode,
    containerId: Status.ContainerStatus?.ContainerID ?? '',
    labels: Spec.ContainerSpec?.Labels ?? {},
    image: Spec.ContainerSpec?.Image ?? '',
    hostNetwork: (answer.NetworksAttachments ?? []).some(({ Network }) => Network?.Spec?.Name === 'host'),
    createdAt: Date.parse(answer.CreatedAt),
    at: Date.parse(Status.Timestamp ?? answer.CreatedAt),
  };
}

export interface NodeAnswer {
  ID: string;
  Spec: { Role?: string; Availability?: string; Labels?: Record<string, string> | null };
  Description?: {
    Hostname?: string;
    Resources?: { NanoCPUs?: number; MemoryBytes?: number };
    Engine?: { EngineVersion?: string };
  } | null;
  Status?: { State?: string; Addr?: string } | null;
  ManagerStatus?: { Leader?: boolean } | null;
}

export function nodeFacts({ ID, Spec, Description, Status, ManagerStatus }: NodeAnswer): NodeFacts {
  const { NanoCPUs = 0, MemoryBytes = 0 } = Description?.Resources ?? {};
  return {
    id: ID,
    name: Description?.Hostname || ID,
    state: (Status?.State ?? 'unknown') as NodeFacts['state'],
    availability: (Spec.Availability ?? 'active') as NodeFacts['availability'],
    role: Spec.Role === 'manager' ? 'manager' : 'worker',
    isLeader: ManagerStatus?.Leader ?? false,
    address: Status?.Addr ?? '',
    labels: Spec.Labels ?? {},
    cpus: NanoCPUs / 1e9,
    memoryBytes: MemoryBytes,
    ...(Description?.Engine?.EngineVersion && { engineVersion: Description.Engine.EngineVersion }),
  };
}
