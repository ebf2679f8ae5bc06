/**
 * Every step of a log line or a playbook, with the texts for people. The meaning of an id never changes. A new step
 * needs a row here and a place in the playbooks that use it: the daemon does not compile without the row, and its tests
 * fail without the place.
 */
export interface StepText {
  readonly name: string;
  readonly description: string;
}

/** Steps of rollouts: used by the planner and in the logs of deployments. */
export const rolloutSteps = {
  discard: {
    name: 'Clean up',
    description: 'Removes a container that an interrupted deployment left behind and that never served.',
  },
  pull: { name: 'Pull image', description: 'Fetches an image that the server does not have yet.' },
  network: { name: 'Create network', description: 'Creates a private network of the instance.' },
  volumes: {
    name: 'Create volume',
    description: 'Creates a missing volume. Existing volumes are not changed.',
  },
  create: {
    name: 'Create container',
    description: 'Creates the new container beside the old one, without starting it.',
  },
  files: { name: 'Write files', description: 'Writes the configuration files into the new container.' },
  before_start_job: { name: 'Run job', description: 'Runs a job to completion before the services that depend on it.' },
  stop_old: { name: 'Stop old container', description: 'Stops a container that is replaced or no longer declared.' },
  start: { name: 'Start container', description: 'Starts the container.' },
  wait_healthy: { name: 'Wait until healthy', description: 'Probes the container until it is ready to serve.' },
  after_start_job: {
    name: 'Run job after start',
    description: 'Runs a job to completion once every service is healthy.',
  },
  join: {
    name: 'Join network',
    description: 'Connects a container to a network of the instance, with its network aliases.',
  },
  route: {
    name: 'Switch routes',
    description: 'Routes external requests to the new containers, once all of them are healthy.',
  },
  drain: {
    name: 'Drain',
    description: 'Waits until the old container has answered its open requests, at most for its stop grace period.',
  },
  remove_old: {
    name: 'Remove old container',
    description: 'Removes a container that is replaced or no longer declared.',
  },
  switch: {
    name: 'Switch over',
    description: 'Gives the new container its final name. From here on it is the instance.',
  },
  drop_network: {
    name: 'Remove network',
    description: 'Removes a private network that no container of the instance was created on.',
  },
  start_old: { name: 'Start old container again', description: 'Starts the previous container again after a failure.' },
} as const satisfies Record<string, StepText>;

export type StepId = keyof typeof rolloutSteps;

/** Steps of orders on an existing instance. */
const orderSteps = {
  check_order: {
    name: 'Check order',
    description: 'Checks the order against the accepted manifest and the policy of the server.',
  },
  journal_order: {
    name: 'Record order',
    description: 'Writes the order to disk before it starts, so that it is never started twice.',
  },
  run_action: {
    name: 'Run action',
    description: 'Runs the command in its container, in a temporary container, or as a request to a container.',
  },
  start_containers: {
    name: 'Start containers',
    description: 'Starts the services in the order of their dependencies.',
  },
  stop_containers: {
    name: 'Stop containers',
    description: 'Stops the containers in the reverse order of their dependencies.',
  },
  remove_containers: { name: 'Remove containers', description: 'Stops and removes the containers.' },
  remove_network: { name: 'Remove network', description: 'Removes the private network of the instance.' },
  remove_volumes: {
    name: 'Remove volumes',
    description: 'Removes the volumes, if requested and every critical volume was named.',
  },
  find_leftovers: {
    name: 'Find leftovers',
    description: 'Finds objects with Hortus labels and pulled images that belong to no instance any more.',
  },
  remove_leftovers: {
    name: 'Remove leftovers',
    description: 'Removes the leftovers, unless it is a dry run; volumes only if they are named.',
  },
  change_node: {
    name: 'Change node',
    description: 'Tells the cluster whether the node may take tasks.',
  },
  smoke_test: {
    name: 'Smoke test',
    description: 'Runs the checks of the template’s smoke test, one after another, directly against the containers.',
  },
  dump_data: {
    name: 'Dump data',
    description: 'Runs the dump action of the template in the running application and stores its output.',
  },
  copy_volumes: {
    name: 'Copy volumes',
    description: 'Compresses and encrypts the content of the volumes while the application is stopped.',
  },
  write_manifest: {
    name: 'Write manifest',
    description: 'Writes the list of parts with checksums, which completes the backup.',
  },
  check_backup: {
    name: 'Check backup',
    description: 'Reads the whole backup, and checks that it fits the instance and the free space.',
  },
  keep_present: { name: 'Back up present data', description: 'Backs up the data that will be replaced.' },
  replace_volumes: { name: 'Replace volumes', description: 'Recreates the volumes with the content of the backup.' },
  restore_dump: {
    name: 'Restore dump',
    description: 'Runs the restore command of the template with the dump, in the running application.',
  },
  try_out: {
    name: 'Start temporary application',
    description: 'Starts a temporary application with the restored data and without outside network access.',
  },
  remove_backup: {
    name: 'Remove backup',
    description: 'Removes its manifest first, so that an incomplete backup never looks complete.',
  },
  clear_trial: { name: 'Clean up', description: 'Removes the temporary containers and volumes.' },
  report_result: {
    name: 'Report result',
    description: 'Reports the result to the service, and retries until the service confirms it.',
  },
} as const satisfies Record<string, StepText>;

/** Steps of a migration, as named in its log. They include rollouts and orders on both servers. */
export const migrationSteps = {
  first_copy: {
    name: 'First copy',
    description: 'Copies the volumes to the target while the application runs, to shorten the downtime.',
  },
  stop_source: { name: 'Stop on the source', description: 'Stops the application. The downtime starts here.' },
  last_copy: {
    name: 'Copy the rest',
    description: 'Copies the changes since the first copy, and writes everything into volumes of the target.',
  },
  start_target: {
    name: 'Start on the target',
    description: 'Deploys the same revision, and waits until it is healthy.',
  },
  switch_server: {
    name: 'Switch over',
    description:
      'Makes the target the server of all moved definitions. From here on the migration cannot be cancelled.',
  },
  release_source: {
    name: 'Release the source',
    description: 'Removes containers, networks and volumes from the source after the grace period.',
  },
  clear_target: {
    name: 'Clear the target',
    description: 'After a failure: removes everything that was transferred to the target.',
  },
  start_source: {
    name: 'Start on the source again',
    description: 'After a failure: starts the stopped application with its original data.',
  },
} as const satisfies Record<string, StepText>;

/** Steps of an upgrade. Each one runs a playbook of a daemon and waits for its end. */
export const upgradeSteps = {
  upgrade_rehearse: {
    name: 'Rehearse',
    description: 'Tries the upgrade on an isolated copy with a backup of the data, if requested.',
  },
  upgrade_backup: {
    name: 'Back up',
    description: 'Makes the declared backup before anything is changed.',
  },
  upgrade_deploy: { name: 'Deploy', description: 'Deploys the revision of the newer version.' },
  upgrade_watch: {
    name: 'Watch',
    description: 'Waits for the watch period of the definition; the daemon rolls back if it becomes unhealthy.',
  },
  upgrade_return: {
    name: 'Roll back with data',
    description: 'Restores the backup and the earlier revision if an irreversible job has changed data.',
  },
} as const satisfies Record<string, StepText>;

/** Steps of exports and imports; the caller's program is one end of the transfers. */
const bundleSteps = {
  bundle_backup: {
    name: 'Back up volumes',
    description: 'Makes a backup of all volumes, or uses a given one. The application is stopped only during the copy.',
  },
  bundle_contents: {
    name: 'Read definition',
    description: 'Reads the definition, its template and the values of its secrets. Recorded in the audit log.',
  },
  bundle_fetch: {
    name: 'Fetch volumes',
    description: 'Sends the volumes of the backup to the caller, one after another; the service stores none of it.',
  },
  bundle_tidy: { name: 'Remove backup', description: 'Removes the backup if it was made only for the export.' },
  bundle_check: {
    name: 'Check',
    description:
      'Checks the bundle against the capacity and policy of the server, by a deployment that is rolled back.',
  },
  bundle_fill: {
    name: 'Fill volumes',
    description: 'Fills volumes of the server with the content that the caller sends.',
  },
  bundle_plant: {
    name: 'Deploy',
    description: 'Creates the definition and orders its first deployment as soon as all volumes are filled.',
  },
  bundle_discard: {
    name: 'Discard',
    description: 'After a failure: removes everything that was transferred to the server.',
  },
} as const satisfies Record<string, StepText>;

export const steps = { ...rolloutSteps, ...orderSteps, ...upgradeSteps, ...migrationSteps, ...bundleSteps };
