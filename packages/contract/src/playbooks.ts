import { type StepText, steps } from './steps.ts';

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

/** What is done, step by step, as data: the daemon's planner is held to it by a test, and the service shows it to people. */
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
