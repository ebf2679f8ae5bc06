/**
 * What a daemon does, step by step, as data: its planner makes these steps and no others, its log lines carry their ids, and
 * the service shows them to people. An id never changes its meaning. A new step is a row here and a place in the playbooks
 * that may take it; the daemon does not compile with a step that has no row, and its tests fail for one without a place.
 */
interface StepText {
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

export type MigrationStep = keyof typeof migrationSteps;

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

const steps = { ...rolloutSteps, ...orderSteps, ...upgradeSteps, ...migrationSteps, ...bundleSteps };

interface PlaybookText extends StepText {
  /** In the order in which they come; each may come several times, once or, where there is nothing to do, not at all. */
  readonly steps: readonly (keyof typeof steps)[];
}

const preparation = ['discard', 'network', 'volumes', 'pull', 'create', 'files'] as const;
const proof = ['start', 'wait_healthy', 'after_start_job'] as const;
const takeover = ['join', 'route', 'drain', 'stop_old'] as const;
const farewell = ['remove_old', 'switch', 'drop_network'] as const;
const replacement = [...preparation, 'before_start_job', ...proof, ...takeover, ...farewell] as const;

const ordered = ['check_order', 'journal_order'] as const;
/** A backup in the place of what there is, up to where a dump can be read. */
const replacingData = [
  'check_backup',
  'keep_present',
  'remove_containers',
  'replace_volumes',
  'create',
  'files',
  'start',
  'wait_healthy',
] as const;

export const playbooks = {
  deploy: {
    name: 'Deploy',
    description: 'The first deployment of a definition: there is nothing yet to replace.',
    steps: [...preparation, 'before_start_job', ...proof, 'route', 'switch'],
  },
  replace: {
    name: 'Replace',
    description:
      'A deployment where something runs already and two can run at once: the new containers serve beside the old ones, requests are led over when all of them are healthy, and only then the old ones are stopped. Where one component of several cannot run twice, it is recreated on the way.',
    steps: replacement,
  },
  recreate: {
    name: 'Recreate',
    description:
      'A deployment where something runs already that cannot run twice, because it has a volume or a port of the server: the new containers are created beside the old ones, which are stopped only then and removed when the new ones are healthy.',
    steps: [...preparation, 'before_start_job', 'stop_old', ...proof, 'route', ...farewell],
  },
  rollback: {
    name: 'Roll back',
    description: 'A deployment of an earlier revision. It takes the same way as any other, backwards only in number.',
    steps: replacement,
  },
  recover: {
    name: 'Recover',
    description: 'After a deployment has failed: what was new is cleared away and what ran before runs again.',
    steps: ['discard', 'stop_old', 'start_old', 'route', 'drain', 'drop_network'],
  },
  action: {
    name: 'Action',
    description: 'An action that the template of an instance declares.',
    steps: [...ordered, 'run_action', 'report_result'],
  },
  start: {
    name: 'Start',
    description: 'Starts the containers of an instance.',
    steps: [...ordered, 'start_containers', 'report_result'],
  },
  stop: {
    name: 'Stop',
    description: 'Stops the containers of an instance and keeps them.',
    steps: [...ordered, 'stop_containers', 'report_result'],
  },
  restart: {
    name: 'Restart',
    description: 'Stops the services of an instance and starts them again.',
    steps: [...ordered, 'stop_containers', 'start_containers', 'report_result'],
  },
  smoke: {
    name: 'Smoke test',
    description: 'Makes the smoke test of the template on an instance that runs; nothing is changed.',
    steps: [...ordered, 'smoke_test', 'report_result'],
  },
  backup: {
    name: 'Back up',
    description:
      'Keeps the data of an instance as its template says. It is stopped only while its volumes are copied, and started again whatever happens.',
    steps: [
      ...ordered,
      'dump_data',
      'stop_containers',
      'copy_volumes',
      'start_containers',
      'write_manifest',
      'report_result',
    ],
  },
  restore: {
    name: 'Restore',
    description: 'Puts a backup in the place of what an instance has, which is kept before.',
    steps: [...ordered, ...replacingData, 'route', 'restore_dump', 'report_result'],
  },
  return_data: {
    name: 'Bring data back',
    description:
      'Before a deployment that goes back with its data: puts the backup in the place of what there is, which is kept before. Nothing is started but what has to read a dump; the deployment starts the rest.',
    steps: [...ordered, ...replacingData, 'restore_dump', 'report_result'],
  },
  verify_backup: {
    name: 'Verify a backup',
    description: 'Proves a backup in an application that is thrown away. What runs is not touched.',
    steps: [...ordered, 'check_backup', 'try_out', 'restore_dump', 'smoke_test', 'clear_trial', 'report_result'],
  },
  delete_backup: {
    name: 'Delete a backup',
    description: 'Removes a backup from where it is kept. What runs is not touched.',
    steps: [...ordered, 'remove_backup', 'report_result'],
  },
  upgrade: {
    name: 'Upgrade',
    description: 'Takes an instance to a newer version of its template, and back if that does not stay healthy.',
    steps: ['upgrade_backup', 'upgrade_deploy', 'upgrade_watch', 'upgrade_return'],
  },
  release: {
    name: 'Release',
    description: 'Removes the containers of an instance for good; its volumes only if that was asked for.',
    steps: [...ordered, 'remove_containers', 'remove_network', 'remove_volumes', 'report_result'],
  },
  prune: {
    name: 'Prune',
    description: 'Clears a server of what is left of instances that are gone. Nothing that is not ours is touched.',
    steps: [...ordered, 'find_leftovers', 'remove_leftovers', 'report_result'],
  },
  clear: {
    name: 'Clear away',
    description:
      'Removes everything of an instance from a server that it is not on: where it was before a migration, or where it did not arrive.',
    steps: [...ordered, 'remove_containers', 'remove_network', 'remove_volumes', 'report_result'],
  },
  migrate: {
    name: 'Migrate',
    description: 'Moves a definition, or all of a tenant, to another server with its data.',
    steps: ['first_copy', 'stop_source', 'last_copy', 'start_target', 'switch_server', 'release_source'],
  },
  turn_back: {
    name: 'Turn back',
    description: 'After a migration has failed before the target took over: it runs again where it was.',
    steps: ['clear_target', 'start_source'],
  },
  export: {
    name: 'Export',
    description: 'Takes a definition out, with its secrets and the content of its volumes, into a file that is sealed.',
    steps: ['bundle_backup', 'bundle_contents', 'bundle_fetch', 'bundle_tidy'],
  },
  import: {
    name: 'Import',
    description: 'Brings a definition in from such a file. Until all of its data is there, there is no definition.',
    steps: ['bundle_check', 'bundle_fill', 'bundle_plant', 'bundle_discard'],
  },
} as const satisfies Record<string, PlaybookText>;

export type PlaybookType = keyof typeof playbooks;

export const playbookTypes = Object.keys(playbooks) as PlaybookType[];

/** The steps of a playbook with their words. */
export const stepsOf = (type: PlaybookType) => playbooks[type].steps.map((id) => ({ id, ...steps[id] }));
