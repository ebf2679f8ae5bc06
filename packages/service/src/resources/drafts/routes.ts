import type { draftEndpoints } from '@hortus/contract/resources/drafts';
import type { Call, Handlers } from '../../http/handler.ts';
import { slice } from '../../storage/page.ts';
import type { Work } from '../../workers/job.ts';
import type { Catalog } from '../templates/public.ts';
import { type Drafts, findingRecord } from './service.ts';
import type { TemplateTests } from './tests.ts';
import { CHECK_DRAFT, IMPORT_DRAFT, READ_DRAFT } from './written.ts';

/** Each handler responds after this process has reloaded the change, so that the client's next request sees it. */
export const draftRoutes = (
  drafts: Drafts,
  tests: TemplateTests,
  catalog: Catalog,
  work: Work,
): Handlers<keyof typeof draftEndpoints> => {
  const changed = async (
    move: 'validate' | 'promote' | 'deprecate',
    { principal, params, write }: Call<'drafts.validate' | 'drafts.promote' | 'drafts.deprecate'>,
  ) => {
    const examined = await drafts.examine(principal, params.id);
    return catalog.takenUp(
      write(async (tx) => ({ success: true, data: await drafts[move](tx, principal, params.id, examined) })),
    );
  };
  return {
    'drafts.list': async ({ principal, query }) => ({
      success: true,
      ...slice(catalog.ownedBy(principal.accountId), query),
    }),
    'drafts.read': async ({ principal, params }) => ({ success: true, data: await drafts.read(principal, params.id) }),
    'drafts.check': async ({ principal, body }) => {
      const field = body.compose === undefined ? 'source' : 'compose';
      const checked = await work.run(CHECK_DRAFT, { account: principal.accountId, field }, body);
      return { success: true, data: { ...checked, findings: checked.findings.map(findingRecord) } };
    },
    'drafts.create': async ({ principal, body, write }) => {
      const field = body.source === undefined ? 'spec' : 'source';
      const written = await work.run(READ_DRAFT, { account: principal.accountId, field }, body);
      return catalog.takenUp(
        write(async (tx) => ({ success: true, data: await drafts.create(tx, principal, written) })),
      );
    },
    'drafts.import': async ({ principal, body, write }) => {
      const owner = { account: principal.accountId, field: 'compose' };
      const { written, ...imported } = await work.run(IMPORT_DRAFT, owner, body);
      return catalog.takenUp(
        write(async (tx) => {
          const draft = await drafts.create(tx, principal, written);
          return { success: true, data: { ...draft, ...imported } };
        }),
      );
    },
    'drafts.validate': (call) => changed('validate', call),
    'drafts.test': async ({ principal, params, body, write }) => {
      const prepared = await tests.prepare(principal, params.id, body);
      return write(async (tx) => ({ success: true, data: await tests.begin(tx, principal, prepared) }));
    },
    'drafts.tests': async ({ principal, params, query }) => ({
      success: true,
      ...(await tests.list(principal, params.id, query)),
    }),
    'drafts.promote': (call) => changed('promote', call),
    'drafts.deprecate': (call) => changed('deprecate', call),
  };
};
