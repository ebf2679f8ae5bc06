import type { draftEndpoints } from '@hortus/contract/resources/drafts';
import type { Handlers } from '../../http/handler.ts';
import type { Catalog } from '../templates/catalog.ts';
import type { Drafts } from './service.ts';
import type { TemplateTests } from './tests.ts';
import { readDraft } from './written.ts';

/** Each answers after this process has taken the change up, so that whoever asks it next sees what was done. */
export const draftRoutes = (
  drafts: Drafts,
  tests: TemplateTests,
  catalog: Catalog,
): Handlers<keyof typeof draftEndpoints> => {
  return {
    'drafts.create': ({ principal, body, write }) => {
      const written = readDraft(body);
      return catalog.takenUp(
        write(async (tx) => ({ success: true, data: await drafts.create(tx, principal, written) })),
      );
    },
    'drafts.import': ({ principal, body, write }) => {
      const { written, source, inferred, dropped } = drafts.import(body);
      return catalog.takenUp(
        write(async (tx) => {
          const draft = await drafts.create(tx, principal, written);
          return { success: true, data: { ...draft, source, inferred, dropped } };
        }),
      );
    },
    'drafts.validate': ({ principal, params, write }) =>
      catalog.takenUp(write(async (tx) => ({ success: true, data: await drafts.validate(tx, principal, params.id) }))),
    'drafts.test': async ({ principal, params, body, write }) => {
      const prepared = await tests.prepare(principal, params.id, body);
      return write(async (tx) => ({ success: true, data: await tests.begin(tx, principal, prepared) }));
    },
    'drafts.tests': async ({ principal, params, query }) => ({
      success: true,
      ...(await tests.list(principal, params.id, query)),
    }),
    'drafts.promote': ({ principal, params, write }) =>
      catalog.takenUp(write(async (tx) => ({ success: true, data: await drafts.promote(tx, principal, params.id) }))),
    'drafts.deprecate': ({ principal, params, write }) =>
      catalog.takenUp(write(async (tx) => ({ success: true, data: await drafts.deprecate(tx, principal, params.id) }))),
  };
};
