import type { Resource } from '../../resource.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Work } from '../../workers/job.ts';
import type { Catalog } from '../templates/public.ts';
import { draftRoutes } from './routes.ts';
import type { Drafts } from './service.ts';
import { type TestParts, testJob, wakeTests } from './test-job.ts';
import { TEST } from './test-lifecycle.ts';
import type { TemplateTests } from './tests.ts';

interface Needs extends TestParts {
  readonly storage: Storage;
  readonly drafts: Drafts;
  readonly tests: TemplateTests;
  readonly catalog: Catalog;
  readonly work: Work;
}

export const resource = {
  // The catalog owns published templates; drafts are the ones of an account before.
  tables: ['templates', 'template_tests'],
  subscribers: [wakeTests],
  wire: ({ storage, drafts, tests, work, ...parts }: Needs) => ({
    handlers: draftRoutes(drafts, tests, parts.catalog, work),
    jobs: { [TEST]: testJob(storage, parts) },
  }),
} satisfies Resource<Needs>;
