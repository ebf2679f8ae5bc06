import { type StepText, steps } from './steps.ts';

interface PlaybookText extends StepText {
  /** In execution order. A step may occur several times, once, or not at all if it has nothing to do. */
  readonly steps: readonly (keyof typeof steps)[];
}

const preparation = ['discard', 'network', 'volumes', 'pull', 'create', 'files'] as const;
const proof = ['start', 'wait_healthy', 'after_start_job'] as const;
const takeover = ['join', 'route', 'drain', 'stop_old'] as const;
const farewell = ['remove_old', 'switch', 'drop_network'] as const;
const replacement = [...preparation, 'before_start_job', ...proof, ...takeover, ...farewell] as const;

const ordered = ['check_order', 'journal_order'] as const;
/** Replaces the data of an instance by a backup, up to the point where a dump can be restored. */
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
/** The same where there is no data to back up first. */
const fillingVolumes = ['check_backup', 'replace_volumes', 'create', 'files', 'start', 'wait_healthy'] as const;

/**
 * The steps of each procedure, as data: a test holds the daemon's planner to it, and the service shows it to people.
 */
export const playbooks = {
  deploy: {
    name: 'Deploy',
    description: 'The first deployment of a definition, which replaces nothing.',
    steps: [...preparation, 'before_start_job', ...proof, 'route', 'switch'],
  },
  replace: {
    name: 'Replace',
    description:
      'A deployment over a running instance that can run twice: the new containers start beside the old ones, requests switch over when all of them are healthy, and only then the old ones are stopped. A component that cannot run twice is recreated.',
    steps: replacement,
  },
  recreate: {
    name: 'Recreate',
    description:
      'A deployment over a running instance that cannot run twice, because it has a volume or a port of the server: the new containers are created first, then the old ones are stopped; they are removed when the new ones are healthy.',
    steps: [...preparation, 'before_start_job', 'stop_old', ...proof, 'route', ...farewell],
  },
  rollback: {
    name: 'Roll back',
    description: 'A deployment of an earlier revision, with the same steps as any other.',
    steps: replacement,
  },
  recover: {
    name: 'Recover',
    description: 'After a failed deployment: removes the new containers and starts the previous ones again.',
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
  node: {
    name: 'Change node',
    description: 'Drains a node of a cluster, which moves its tasks to other nodes, or lets it take tasks again.',
    steps: [...ordered, 'change_node', 'report_result'],
  },
  smoke: {
    name: 'Smoke test',
    description: 'Runs the smoke test of the template against a running instance. Changes nothing.',
    steps: [...ordered, 'smoke_test', 'report_result'],
  },
  backup: {
    name: 'Back up',
    description:
      'Backs up the data of an instance as its template declares. The instance is stopped only while its volumes are copied, and is always started again.',
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
    description: 'Replaces the data of an instance by a backup. The present data is backed up first.',
    steps: [...ordered, ...replacingData, 'route', 'restore_dump', 'report_result'],
  },
  restore_elsewhere: {
    name: 'Restore on another node',
    description:
      'Brings an instance whose node is lost back on another node of its cluster, from its last verified backup. What was written since is missing.',
    steps: [...ordered, ...fillingVolumes, 'route', 'restore_dump', 'report_result'],
  },
  return_data: {
    name: 'Restore data',
    description:
      'Before a rollback with data: replaces the data by the backup, after backing up the present data. Starts only what is needed to restore a dump; the deployment starts the rest.',
    steps: [...ordered, ...replacingData, 'restore_dump', 'report_result'],
  },
  copy_data: {
    name: 'Copy data',
    description:
      'Restores a backup into an isolated copy of the instance. Starts only what is needed to restore a dump; the deployment of the copy starts the rest. The running instance is not touched.',
    steps: [...ordered, ...fillingVolumes, 'restore_dump', 'report_result'],
  },
  verify_backup: {
    name: 'Verify a backup',
    description: 'Restores a backup into a temporary application and tests it. The running instance is not touched.',
    steps: [...ordered, 'check_backup', 'try_out', 'restore_dump', 'smoke_test', 'clear_trial', 'report_result'],
  },
  delete_backup: {
    name: 'Delete a backup',
    description: 'Removes a backup from its storage. The running instance is not touched.',
    steps: [...ordered, 'remove_backup', 'report_result'],
  },
  upgrade: {
    name: 'Upgrade',
    description: 'Upgrades an instance to a newer version of its template, and rolls back if it becomes unhealthy.',
    steps: ['upgrade_rehearse', 'upgrade_backup', 'upgrade_deploy', 'upgrade_watch', 'upgrade_return'],
  },
  release: {
    name: 'Release',
    description: 'Removes the containers of an instance, and its volumes if requested.',
    steps: [...ordered, 'remove_containers', 'remove_network', 'remove_volumes', 'report_result'],
  },
  remove: {
    name: 'Remove containers',
    description:
      'Removes the containers of an instance and keeps its volumes. One step of a release on a daemon that takes one command at a time.',
    steps: [...ordered, 'remove_containers', 'report_result'],
  },
  prune: {
    name: 'Prune',
    description: 'Removes leftovers of instances that no longer exist from a server. Touches only objects of Hortus.',
    steps: [...ordered, 'find_leftovers', 'remove_leftovers', 'report_result'],
  },
  clear: {
    name: 'Clean up',
    description:
      'Removes everything of an instance from the source server after a migration, or from the target of a failed one.',
    steps: [...ordered, 'remove_containers', 'remove_network', 'remove_volumes', 'report_result'],
  },
  migrate: {
    name: 'Migrate',
    description: 'Moves a definition, or all of a tenant, to another server with its data.',
    steps: ['first_copy', 'stop_source', 'last_copy', 'start_target', 'switch_server', 'release_source'],
  },
  turn_back: {
    name: 'Turn back',
    description: 'After a migration that failed before the switch: starts the definition again on its source server.',
    steps: ['clear_target', 'start_source'],
  },
  export: {
    name: 'Export',
    description: 'Exports a definition with its secrets and the content of its volumes into a sealed file.',
    steps: ['bundle_backup', 'bundle_contents', 'bundle_fetch', 'bundle_tidy'],
  },
  import: {
    name: 'Import',
    description:
      'Imports a definition from an exported file. The definition is created only when all of its data has arrived.',
    steps: ['bundle_check', 'bundle_fill', 'bundle_plant', 'bundle_discard'],
  },
} as const satisfies Record<string, PlaybookText>;

export type PlaybookType = keyof typeof playbooks;

export const playbookTypes = Object.keys(playbooks) as PlaybookType[];

/** Returns the steps of a playbook with their texts. */
export const stepsOf = (type: PlaybookType) => playbooks[type].steps.map((id) => ({ id, ...steps[id] }));
