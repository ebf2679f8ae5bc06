import { resolveProvisions } from '@hortus/template/provisions';
import { resolve } from '@hortus/template/resolve';
import { workerJob } from '../../workers/job.ts';

export const RESOLVE = workerJob('manifest.resolve', resolve);

export const PROVISIONS = workerJob('manifest.provisions', resolveProvisions);
