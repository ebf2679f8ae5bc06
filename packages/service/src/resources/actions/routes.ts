import type { actionEndpoints } from '@hortus/contract/resources/actions';
import type { Call, Handlers } from '../../http/handler.ts';
import type { Principal } from '../../identity/principal.ts';
import type { Actions } from './service.ts';

export const actionRoutes = (actions: Actions): Handlers<keyof typeof actionEndpoints> => ({
  'actions.all': async ({ principal, query }) => {
    const filter = { ...filterOf(principal, query), instanceId: query.instance_id };
    return { success: true, ...(await actions.all(filter, query)) };
  },
  'actions.list': async ({ principal, params }) => ({
    success: true,
    ...(await actions.list(principal, params.id)),
  }),
  'actions.execute': async ({ principal, params, body, write }) => {
    const wanted = await actions.prepare(principal, params.id, params.slug, body.params ?? {});
    return write(async (tx) => {
      const execution = await actions.execute(tx, principal, wanted);
      return { success: true, execution, data: execution };
    });
  },
  'actions.read': async ({ principal, params }) => {
    const execution = await actions.read(principal, params.execution_id);
    return { success: true, execution, data: execution };
  },
  'actions.report': async ({ principal, params, body, write }) => {
    const report = await actions.prepareReport(principal, params.execution_id, body);
    return write(async (tx) => {
      const execution = await actions.report(tx, principal, params.execution_id, report);
      return { success: true, execution, data: execution };
    });
  },
  'actions.reportScheduled': async ({ principal, body, write }) => {
    const report = await actions.prepareScheduled(principal, body);
    return write(async (tx) => {
      const execution = await actions.scheduled(tx, principal, report);
      return { success: true, execution, data: execution };
    });
  },
  'actions.cancel': ({ principal, params, write }) =>
    write(async (tx) => {
      const execution = await actions.cancel(tx, principal, params.execution_id);
      return { success: true, execution, data: execution };
    }),
  'actions.history': async ({ principal, params, query }) => {
    const filter = { ...filterOf(principal, query), instanceId: params.id };
    return { success: true, ...(await actions.history(principal, filter, query)) };
  },
});

const filterOf = ({ accountId }: Principal, query: Call<'actions.history'>['query']) => ({
  accountId,
  slug: query.slug,
  status: query.status,
  kind: query.kind,
  since: timeOf(query.since),
  until: timeOf(query.until),
});

const timeOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Date.parse(text));
