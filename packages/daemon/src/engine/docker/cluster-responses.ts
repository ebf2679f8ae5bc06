// Reads the responses of the Swarm's API; engines omit empty values or set them to null.
import type { NodeFacts, ServiceFacts, TaskFacts, TaskState, UpdateState } from '../cluster.ts';
import type { ServiceBody } from './service-body.ts';

export interface ServiceResponse {
  ID: string;
  Version: { Index: number };
  Spec: ServiceBody;
  PreviousSpec?: ServiceBody | null;
  UpdateStatus?: { State?: string; Message?: string } | null;
}

export function serviceFacts({ ID, Spec, PreviousSpec, UpdateStatus }: ServiceResponse): ServiceFacts {
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

export interface TaskResponse {
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

export function taskFacts({ Status, Spec, ...response }: TaskResponse): TaskFacts {
  return {
    id: response.ID,
    service: response.ServiceID ?? '',
    node: response.NodeID ?? '',
    slot: response.Slot ?? 1,
    state: Status.State as TaskState,
    desired: response.DesiredState as TaskState,
    error: Status.Err ?? '',
    exitCode: Status.ContainerStatus?.ExitCode,
    containerId: Status.ContainerStatus?.ContainerID ?? '',
    labels: Spec.ContainerSpec?.Labels ?? {},
    image: Spec.ContainerSpec?.Image ?? '',
    hostNetwork: (response.NetworksAttachments ?? []).some(({ Network }) => Network?.Spec?.Name === 'host'),
    createdAt: Date.parse(response.CreatedAt),
    at: Date.parse(Status.Timestamp ?? response.CreatedAt),
  };
}

export interface NodeResponse {
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

export function nodeFacts({ ID, Spec, Description, Status, ManagerStatus }: NodeResponse): NodeFacts {
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
