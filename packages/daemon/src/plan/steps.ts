/**
 * Every kind of step a rollout can take, once: the planner makes them, the rollout logs under their ids, and what people read
 * about a deployment comes from here. An id never changes its meaning.
 */
export const stepTable = {
  discard: {
    name: 'Clear away',
    description: 'Removes a container that an interrupted deployment left behind before it ever served.',
  },
  pull: { name: 'Pull image', description: 'Fetches an image that the server does not have yet.' },
  network: { name: 'Make network', description: 'Makes a private network of the instance.' },
  volumes: {
    name: 'Make volume',
    description: 'Makes a volume that is missing. Volumes that exist are kept as they are.',
  },
  create: {
    name: 'Create container',
    description: 'Creates the new container beside the old one, without starting it.',
  },
  files: { name: 'Write files', description: 'Puts the configuration files into the new container.' },
  before_start_job: { name: 'Run job', description: 'Runs a job to its end before the services that wait for it.' },
  stop_old: { name: 'Stop old container', description: 'Stops a container that is replaced or no longer declared.' },
  start: { name: 'Start container', description: 'Starts the container.' },
  wait_healthy: { name: 'Wait until healthy', description: 'Probes the container until it is ready to serve.' },
  join: {
    name: 'Join network',
    description: 'Puts a container on a network of the instance, under the name that the other components know it by.',
  },
  after_start_job: { name: 'Run job after start', description: 'Runs a job to its end once every service is healthy.' },
  route: {
    name: 'Switch routes',
    description: 'Leads requests from outside to the new containers, once all of them are healthy.',
  },
  drain: {
    name: 'Drain',
    description: 'Waits for the requests that the old container still answers, for as long as it may take to stop.',
  },
  remove_old: {
    name: 'Remove old container',
    description: 'Removes a container that is replaced or no longer declared.',
  },
  switch: {
    name: 'Switch over',
    description: 'Gives the new container its lasting name: from here on it is the instance.',
  },
  drop_network: {
    name: 'Remove network',
    description: 'Removes a private network that no container was born on any more.',
  },
  start_old: { name: 'Start old container again', description: 'Brings back the previous container after a failure.' },
} as const satisfies Record<string, { name: string; description: string }>;

export type StepId = keyof typeof stepTable;
