import { type PlaybookType, playbooks, playbookTypes, stepsOf } from '@hortus/contract/actions/playbooks';
import type { Playbook, playbookEndpoints } from '@hortus/contract/resources/playbooks';
import type { Handlers } from '../../http/handler.ts';
import { notFound } from '../../problem.ts';
import { slice } from '../../storage/page.ts';

export const playbookRoutes = (): Handlers<keyof typeof playbookEndpoints> => ({
  'playbooks.list': async ({ query }) => ({ success: true, ...slice(playbookTypes.map(record), query) }),
  'playbooks.read': async ({ params }) => {
    const type = playbookTypes.find((type) => type === params.playbook_type);
    if (!type) throw notFound('playbook');
    return { success: true, data: record(type) };
  },
});

const record = (type: PlaybookType): Playbook => {
  const { name, description } = playbooks[type];
  return { type, name, description, steps: stepsOf(type) };
};
