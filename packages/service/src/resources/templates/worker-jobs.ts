import { checkInputs } from '@hortus/template/inputs/inputs';
import { compareForUpgrade } from '@hortus/template/upgrade/compare';
import { workerJob } from '../../workers/job.ts';

export const CHECK_INPUTS = workerJob('inputs.check', checkInputs);
export const COMPARE_VERSIONS = workerJob('upgrade.compare', compareForUpgrade);
