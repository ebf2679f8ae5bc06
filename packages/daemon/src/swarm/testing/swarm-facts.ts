import type { ServiceFacts, TaskFacts } from '../../engine/cluster.ts';

export const service = (overrides: Partial<ServiceFacts> = {}): ServiceFacts => ({
  id: 'svc',
  name: 'blog',
  labels: {},
  formerLabels: undefined,
  formerReplicas: undefined,
  kind: 'replicated',
  replicas: 1,
  image: 'example:1',
  constraints: [],
  aliases: [],
  secrets: [],
  update: undefined,
  ...overrides,
});

export const task = (overrides: Partial<TaskFacts> = {}): TaskFacts => ({
  id: 'task',
  service: 'svc',
  node: 'n1',
  slot: 1,
  state: 'running',
  desired: 'running',
  error: '',
  exitCode: undefined,
  containerId: 'container',
  labels: {},
  image: 'example:1',
  hostNetwork: false,
  createdAt: 1,
  at: 1,
  ...overrides,
});
