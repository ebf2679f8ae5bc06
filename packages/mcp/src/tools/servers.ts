import Type from 'typebox';
import { facts, listed } from '../text/bounded.ts';
import { oneLine } from '../text/untrusted.ts';
import { readTool } from '../tool.ts';

export const listServers = readTool({
  name: 'list_servers',
  title: 'List servers',
  description: 'List the servers on which applications can run.',
  input: Type.Object({}, { additionalProperties: false }),
  async read({ service }) {
    const { data, pagination } = await service.call('servers.list', { query: { per_page: 50 } });
    return listed(
      data,
      (item) =>
        facts(
          `${oneLine(item.name, 60)} (${item.id})`,
          item.environment,
          item.status,
          item.daemon.engine && oneLine(item.daemon.engine, 40),
        ),
      { total: pagination.total, none: 'No server is registered.' },
    );
  },
});
