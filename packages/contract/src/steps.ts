/**
 * Every step that a log line or a playbook can name, with the words that people read. An id never changes its meaning. A new
 * step is a row here and a place in the playbooks that may take it; the daemon does not compile with a step that has no row,
 * and its tests fail for one without a place.
 */
export interface StepText {
  readonly name: string;
  readonly description: string;
}

/** The steps of rollouts: what the planner puts together, and what a deployment's log names. */
export const rolloutSteps = {
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
  after_start_job: { name: 'Run job after start', description: 'Runs a job to its end once every service is healthy.' },
  join: {
    name: 'Join network',
    description: 'Puts a container on a network of the instance, under the names that the other components know it by.',
  },
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
} as const satisfies Record<string, StepText>;

export type StepId = keyof typeof rolloutSteps;

/** The steps of what is ordered on an instance that is there. */
const orderSteps = {
  check_order: {
    name: 'Check order',
    description: 'Compares the arguments with those of the manifest that the server has accepted, and its own policy.',
  },
  journal_order: {
    name: 'Write down',
    description: 'Writes the order to disk before anything begins, so that it is never begun twice.',
  },
  run_action: {
    name: 'Run action',
    description: 'Runs the command in its container, in a container of its own, or as a request to one.',
  },
  start_containers: {
    name: 'Start containers',
    description: 'Starts the services in the order in which they depend on one another.',
  },
  stop_containers: { name: 'Stop containers', description: 'Stops the containers, those that others need last.' },
  remove_containers: { name: 'Remove containers', description: 'Stops and removes the containers.' },
  remove_network: { name: 'Remove network', description: 'Removes the private network of the instance.' },
  remove_volumes: {
    name: 'Remove volumes',
    description: 'Removes the volumes, if that was asked for and every critical one was named.',
  },
  find_leftovers: {
    name: 'Find leftovers',
    description: 'Looks for what carries our labels, or was pulled by us, and belongs to no instance any more.',
  },
  remove_leftovers: {
    name: 'Remove leftovers',
    description: 'Removes what was found, unless it was only asked for; volumes only by their names.',
  },
  smoke_test: {
    name: 'Smoke test',
    description: 'Makes the checks of the template’s smoke test, one after another, against the containers themselves.',
  },
  dump_data: {
    name: 'Dump data',
    description: 'Runs the dump of the template in the running application and keeps what it writes.',
  },
  copy_volumes: {
    name: 'Copy volumes',
    description: 'Compresses and encrypts the content of the volumes, while nothing writes to them.',
  },
  write_manifest: {
    name: 'Write manifest',
    description: 'Writes down what the backup consists of, with checksums; from here on it is one.',
  },
  check_backup: {
    name: 'Check backup',
    description: 'Reads all of it to the last byte, and whether it fits what runs and the space that there is.',
  },
  keep_present: { name: 'Keep what is there', description: 'Makes a backup of what is about to be replaced.' },
  replace_volumes: { name: 'Replace volumes', description: 'Makes the volumes anew with what the backup holds.' },
  restore_dump: {
    name: 'Restore dump',
    description: 'Has the restore command of the template read the dump, in the running application.',
  },
  try_out: {
    name: 'Try out',
    description: 'Starts an application of its own with the restored data, without a way to the outside.',
  },
  remove_backup: {
    name: 'Remove backup',
    description: 'Removes its manifest first, so that no half of one looks whole.',
  },
  clear_trial: { name: 'Clear away', description: 'Removes the containers and volumes that were only tried out.' },
  report_result: {
    name: 'Report result',
    description: 'Tells the service how it ended, again and again until it has heard.',
  },
} as const satisfies Record<string, StepText>;

/** The steps of a migration: what its log names. Rollouts and orders on either server are among what they do. */
export const migrationSteps = {
  first_copy: {
    name: 'Copy while it runs',
    description: 'Copies the volumes to the target while the application runs, so that little is left for later.',
  },
  stop_source: { name: 'Stop on the source', description: 'Stops what is moved. From here on it does not serve.' },
  last_copy: {
    name: 'Copy the rest',
    description: 'Copies what has changed since, and puts everything into volumes of the target.',
  },
  start_target: {
    name: 'Start on the target',
    description: 'Deploys the very revision that ran, and waits until it is healthy.',
  },
  switch_server: {
    name: 'Switch over',
    description: 'Makes the target the server of what was moved, all at once. From here on nothing leads back.',
  },
  release_source: {
    name: 'Release the source',
    description: 'Removes containers, networks and volumes from the source when the time to look back is over.',
  },
  clear_target: {
    name: 'Clear the target',
    description: 'After a failure: removes from the target whatever has come there.',
  },
  start_source: {
    name: 'Start on the source again',
    description: 'After a failure: starts what was stopped, with the data that it had.',
  },
} as const satisfies Record<string, StepText>;

/** What the service does to apply an upgrade; each step is one of a daemon's playbooks, carried out and waited for. */
export const upgradeSteps = {
  upgrade_backup: {
    name: 'Back up',
    description: 'Makes the backup that the template declares, before anything is changed.',
  },
  upgrade_deploy: { name: 'Deploy', description: 'Deploys the revision of the newer version.' },
  upgrade_watch: {
    name: 'Watch',
    description:
      'Waits for as long as the definition is watched, while its daemon goes back by itself if it turns sick.',
  },
  upgrade_return: {
    name: 'Go back with data',
    description: 'Puts the backup and the earlier revision back where a job has changed data that code cannot undo.',
  },
} as const satisfies Record<string, StepText>;

/** The steps of taking a definition out into a file and bringing it in from one; the caller's program is one of the ends. */
const bundleSteps = {
  bundle_backup: {
    name: 'Back up volumes',
    description:
      'Makes a backup of all volumes, or takes one that was named. The application is stopped only for the copy.',
  },
  bundle_contents: {
    name: 'Read definition',
    description:
      'Reads the definition, its template and the values of its secrets, which leaves a trace in the audit list.',
  },
  bundle_fetch: {
    name: 'Fetch volumes',
    description:
      'Carries the volumes of the backup to the caller, one after another; the service keeps nothing of them.',
  },
  bundle_tidy: { name: 'Remove backup', description: 'Removes the backup again if it was made only for this.' },
  bundle_check: {
    name: 'Check',
    description: 'Holds the bundle against the server, its room and its policy, by a deployment that is taken back.',
  },
  bundle_fill: { name: 'Fill volumes', description: 'Fills volumes of the server with what the caller sends.' },
  bundle_plant: {
    name: 'Plant',
    description: 'Makes the definition and orders its first deployment, at once, when all volumes are filled.',
  },
  bundle_discard: {
    name: 'Discard',
    description: 'After a failure: has the server remove whatever has come there.',
  },
} as const satisfies Record<string, StepText>;

export const steps = { ...rolloutSteps, ...orderSteps, ...upgradeSteps, ...migrationSteps, ...bundleSteps };
