import Type from 'typebox';
import { facts, listed } from '../text/bounded.ts';
import { oneLine } from '../text/untrusted.ts';
import { readTool } from '../tool.ts';

export const listUpgrades = readTool({
  name: 'list_upgrades',
  title: 'List upgrades',
  description: 'List newer versions of running applications that can be applied.',
  input: Type.Object({}, { additionalProperties: false }),
  async read({ service }) {
    const { data, pagination } = await service.call('upgrades.list', { query: { status: 'available', per_page: 30 } });
    return listed(
      data,
      (item) =>
        facts(
          `${item.id} ${oneLine(item.instance_name, 60)}: ${item.species} ${item.from_version} → ${item.to_version}`,
          item.refusal ? `refused: ${oneLine(item.refusal.instead, 300)}` : item.ready ? 'ready' : 'needs input',
          item.irreversible.length > 0 && 'not fully reversible',
        ),
      { total: pagination.total, none: 'Everything is up to date.' },
    );
  },
});
