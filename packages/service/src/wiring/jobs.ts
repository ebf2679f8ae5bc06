import type { JobKind } from '../jobs/job.ts';
import { DEADLINE as EXECUTION_DEADLINE } from '../resources/actions/deadlines.ts';
import { lostNodeJob, NODE_LOST } from '../resources/backups/lost-node.ts';
import { BACKUPS_DUE, dueJob } from '../resources/backups/schedule.ts';
import { isNodeLost } from '../resources/clusters/nodes/nodes.ts';
import { CONFIRMATION_EXPIRY, expiryJob } from '../resources/confirmations/expiry-job.ts';
import { UPDATE_DAEMONS, updateDaemonsJob } from '../resources/daemon-updates/job.ts';
import { INDEX_NAMES, indexNamesJob } from '../resources/definitions/index-names.ts';
import { DEADLINE as DEPLOYMENT_DEADLINE, deadlineJob } from '../resources/deployments/deadline.ts';
import { HEAL, healJob } from '../resources/deployments/heal.ts';
import { PREPARE } from '../resources/deployments/queue.ts';
import { testJob } from '../resources/drafts/test-job.ts';
import { testJobDeps } from '../resources/drafts/test-job-deps.ts';
import { TEST } from '../resources/drafts/test-lifecycle.ts';
import { EVACUATE } from '../resources/evacuations/job.ts';
import { APPLY_GARDEN, applyGardenJob } from '../resources/gardens/apply-job.ts';
import { followGardenJob } from '../resources/gardens/following/follow-job.ts';
import { FOLLOW_GARDEN, REPORT_COMMIT } from '../resources/gardens/following/moving.ts';
import { reportCommitJob } from '../resources/gardens/following/report-job.ts';
import { FETCH } from '../resources/imports/exports.ts';
import { IMPORT } from '../resources/imports/job.ts';
import { MIGRATE } from '../resources/migrations/service.ts';
import { rehearsalJob } from '../resources/rehearsals/job.ts';
import { REHEARSE } from '../resources/rehearsals/lifecycle.ts';
import { SILENCE } from '../resources/servers/liveness/liveness.ts';
import { OLD_KEY, oldKeyJob } from '../resources/servers/old-keys.ts';
import { UNSEEN_SHELLS, unseenShellsJob } from '../resources/shells/unseen-job.ts';
import { PUBLISHED } from '../resources/templates/publish.ts';
import { APPLY, APPLY_ALL } from '../resources/upgrades/application.ts';
import { applyAllJob, applyJob } from '../resources/upgrades/apply-job.ts';
import { publishedJob, SCAN, scanJob } from '../resources/upgrades/scan.ts';
import { DELIVER, deliveryJob } from '../resources/webhooks/delivery-job.ts';
import { RETENTION, retentionJob } from '../retention/job.ts';
import type { BaseDependencies } from './dependencies.ts';
import type { Made } from './resources.ts';
import { retentionRules } from './retention-rules.ts';

/** Assembles the handlers of all kinds of jobs. */
export function jobsOf(base: BaseDependencies, made: Made): Readonly<Record<string, JobKind>> {
  const { config, log, storage, vault, catalog } = base;
  const {
    guard,
    wake,
    manifests,
    server,
    liveness,
    deployments,
    preparations,
    instances,
    actions,
    backups,
    definitions,
    migrations,
    applicationSteps,
    application,
    exports,
    imports,
  } = made;
  return {
    ...made.notificationJobs,
    [DELIVER]: deliveryJob({ storage, vault, guard }),
    [CONFIRMATION_EXPIRY]: expiryJob(storage),
    [HEAL]: healJob({ storage, order: (tx, ...of) => deployments.heal(tx, ...of) }),
    [DEPLOYMENT_DEADLINE]: deadlineJob({ storage, server, manifests, wake }),
    [PREPARE]: preparations.job(),
    [EXECUTION_DEADLINE]: actions.deadlineJob(),
    [TEST]: testJob(testJobDeps({ storage, catalog, server, definitions, deployments, instances, actions })),
    [SILENCE]: liveness.silence,
    [OLD_KEY]: oldKeyJob(storage),
    [UPDATE_DAEMONS]: updateDaemonsJob({ storage, wake }),
    [BACKUPS_DUE]: dueJob({ storage, backups, instances }),
    [NODE_LOST]: lostNodeJob({
      storage,
      backups,
      instances,
      manifestOf: (queries, ...of) => manifests.resolve(queries, ...of),
      isLost: isNodeLost,
    }),
    [MIGRATE]: migrations.job(),
    [EVACUATE]: made.evacuations.job(),
    [FETCH]: exports.job(),
    [IMPORT]: imports.job(),
    [APPLY_GARDEN]: applyGardenJob(made.gardenCarrying),
    [FOLLOW_GARDEN]: followGardenJob(made.gardenFollowing),
    [REPORT_COMMIT]: reportCommitJob({ storage, vault, guard, publicUrl: config.publicUrl }),
    [UNSEEN_SHELLS]: unseenShellsJob(made.shells),
    ...(storage.engine === 'sqlite' && { [INDEX_NAMES]: indexNamesJob(storage) }),
    [RETENTION]: retentionJob({ storage, rules: retentionRules(config.retention), log }),
    [REHEARSE]: rehearsalJob(storage, made.rehearsalProgress),
    [APPLY]: applyJob(storage, applicationSteps),
    [APPLY_ALL]: applyAllJob(storage, application),
    [PUBLISHED]: publishedJob({ storage, catalog }),
    ...(config.upgradeScanHours > 0 && {
      [SCAN]: scanJob({ storage, catalog }, config.upgradeScanHours * 3_600_000),
    }),
  };
}
