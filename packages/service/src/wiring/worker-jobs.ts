import { READ_MESSAGE } from '../channel/messages.ts';
import { READ_LARGE_BODY } from '../http/validation/large-body.ts';
import { FILL_ACTION } from '../resources/actions/request.ts';
import { READ_BUNDLED_TEMPLATE } from '../resources/drafts/bundled-template.ts';
import { TEST_INPUTS } from '../resources/drafts/test-inputs.ts';
import { CHECK_DRAFT, FIND_PROBLEMS, IMPORT_DRAFT, READ_DRAFT, WRITE_DRAFT } from '../resources/drafts/written.ts';
import { WRITE_GARDEN } from '../resources/gardens/export.ts';
import { READ_GARDEN } from '../resources/gardens/files.ts';
import { READ_REPOSITORY } from '../resources/gardens/git/read-repository.ts';
import { PROVISIONS, RESOLVE } from '../resources/manifest/worker-jobs.ts';
import { EXAMINE } from '../resources/recipes/examination.ts';
import { CHECK_INPUTS, COMPARE_VERSIONS } from '../resources/templates/worker-jobs.ts';
import type { WorkerJob } from '../workers/job.ts';

/** Lists every job of the worker threads. */
export const workerJobs: readonly WorkerJob[] = [
  CHECK_DRAFT,
  CHECK_INPUTS,
  COMPARE_VERSIONS,
  EXAMINE,
  FILL_ACTION,
  FIND_PROBLEMS,
  IMPORT_DRAFT,
  READ_BUNDLED_TEMPLATE,
  READ_DRAFT,
  READ_GARDEN,
  READ_LARGE_BODY,
  READ_MESSAGE,
  READ_REPOSITORY,
  PROVISIONS,
  RESOLVE,
  TEST_INPUTS,
  WRITE_DRAFT,
  WRITE_GARDEN,
];
