import type { InstanceOverview } from '@hortus/contract/resources/overview';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { client } from '../../api/client.ts';
import { useMay } from '../../api/session.ts';
import { type Command, useCommands } from '../../frame/commands.ts';
import { useHasPlace } from '../../frame/places.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Menu, MenuItem } from '../../parts/menu.tsx';
import { toast, toastProblem } from '../../parts/toast.tsx';
import { useRedeploy } from './redeploy.ts';
import { Release } from './release.tsx';

type Order = 'start' | 'stop' | 'restart';
const WORDS: Readonly<Record<Order, string>> = { start: 'Starting', stop: 'Stopping', restart: 'Restarting' };

/** Start, stop, restart, deploy again and release: only what the person may do and what makes sense now. */
export function Controls({ about }: { about: InstanceOverview }) {
  const { instance, definition } = about;
  const may = useMay();
  const navigate = useNavigate();
  const exists = useHasPlace();
  const [releasing, setReleasing] = useState(false);
  const { run, running } = useInstanceOrder(instance);
  const redeploy = useRedeploy(instance.definition_id, instance.name);
  const isReleased = instance.status === 'released';
  const isStopped = instance.status === 'stopped' || instance.status === 'failed';
  const mayOrder = may('instances:write') && !isReleased;
  const mayDeploy = may('deployments:execute');
  const openDefinition = () =>
    void navigate({ to: '/definitions/$id' as string, params: { id: instance.definition_id } as never });
  useCommands(
    useMemo((): readonly Command[] => {
      if (!mayOrder) return [];
      const orders: Order[] = isStopped ? ['start'] : ['restart', 'stop'];
      return orders.map((one) => ({
        name: `${one[0]?.toUpperCase()}${one.slice(1)} ${instance.name}`,
        run: () => run(one),
      }));
    }, [mayOrder, isStopped, instance.name, run]),
  );
  return (
    <div className="controls">
      {mayOrder && !isStopped && (
        <Button busy={running === 'restart'} onClick={() => run('restart')}>
          <Icon name="restart" />
          Restart
        </Button>
      )}
      {mayOrder && (
        <Button busy={running === 'start' || running === 'stop'} onClick={() => run(isStopped ? 'start' : 'stop')}>
          {isStopped ? 'Start' : 'Stop'}
        </Button>
      )}
      {definition && exists('/definitions/$id') && may('definitions:write') && (
        <Button kind="primary" onClick={openDefinition}>
          New revision
        </Button>
      )}
      {(mayOrder || mayDeploy) && (
        <Menu
          button={
            <Button square aria-label="More">
              <Icon name="more" />
            </Button>
          }
        >
          {mayDeploy && <MenuItem onSelect={redeploy}>Deploy again</MenuItem>}
          {definition && exists('/definitions/$id') && (
            <MenuItem onSelect={openDefinition}>Open the definition</MenuItem>
          )}
          {mayOrder && (
            <MenuItem danger onSelect={() => setReleasing(true)}>
              Release…
            </MenuItem>
          )}
        </Menu>
      )}
      {releasing && <Release about={about} onClose={() => setReleasing(false)} />}
    </div>
  );
}

function useInstanceOrder({ id, name }: { id: string; name: string }) {
  const order = useMutation({
    // The three orders have the same form.
    mutationFn: (what: Order) => client.call(`instances.${what}` as 'instances.start', { params: { id } }),
    onSuccess: (_, what) => toast(`${WORDS[what]} ${name}.`),
    onError: (error, what) => toastProblem(`Could not ${what} ${name}.`)(error),
  });
  return { run: order.mutate, running: order.isPending ? order.variables : undefined };
}
