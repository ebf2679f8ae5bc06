import { useNavigate } from '@tanstack/react-router';
import { useApi } from '../api/query.ts';
import { useMay } from '../api/session.ts';
import type { Command } from './commands.ts';
import { useInstanceOrder } from './instance-order.ts';

/** What can be done with every instance from anywhere: restart, start, its logs, its shell. Only what the person may do. */
export function useInstanceCommands(): readonly Command[] {
  const instances = useApi('overview.read').data?.data.instances ?? [];
  const may = useMay();
  const navigate = useNavigate();
  const { run } = useInstanceOrder();
  return instances.flatMap(({ id, name, status }) => {
    const open = (tab: string) => () => void navigate({ to: '/instances/$id', params: { id }, search: { tab } });
    const what = status === 'stopped' || status === 'failed' ? 'start' : 'restart';
    return [
      ...(may('instances:write')
        ? [{ name: `${what === 'start' ? 'Start' : 'Restart'} ${name}`, run: () => run({ id, name, what }) }]
        : []),
      ...(may('instances:logs') ? [{ name: `Logs of ${name}`, run: open('logs') }] : []),
      ...(may('instances:shell') ? [{ name: `Shell in ${name}`, run: open('shell') }] : []),
    ];
  });
}
