import type { InstanceOverview } from '@hortus/contract/resources/overview';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { useMay } from '../../api/session.ts';
import { type Command, useCommands } from '../../frame/commands.ts';
import { type InstanceOrder, useInstanceOrder } from '../../frame/instance-order.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Menu, MenuItem } from '../../parts/menu.tsx';
import { useRedeploy } from './redeploy.ts';
import { Release } from './release.tsx';

/** Start, stop, restart, deploy again and release: only what the person may do and what makes sense now. */
export function Controls({ about }: { about: InstanceOverview }) {
  const { instance, definition } = about;
  const may = useMay();
  const navigate = useNavigate();
  const [releasing, setReleasing] = useState(false);
  const { run: order, running } = useInstanceOrder();
  const { id, name } = instance;
  const run = useCallback((what: InstanceOrder) => order({ id, name, what }), [order, id, name]);
  const redeploy = useRedeploy(instance.definition_id, instance.name);
  const isReleased = instance.status === 'released';
  const isStopped = instance.status === 'stopped' || instance.status === 'failed';
  const mayOrder = may('instances:write') && !isReleased;
  const mayDeploy = may('deployments:execute');
  const openDefinition = () => void navigate({ to: '/definitions/$id', params: { id: instance.definition_id } });
  useCommands(
    useMemo((): readonly Command[] => {
      if (!mayOrder) return [];
      const orders: InstanceOrder[] = isStopped ? ['start'] : ['restart', 'stop'];
      return orders.map((order) => ({
        name: `${order[0]?.toUpperCase()}${order.slice(1)} ${name}`,
        run: () => run(order),
      }));
    }, [mayOrder, isStopped, name, run]),
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
      {definition && may('definitions:write') && (
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
          {definition && <MenuItem onSelect={openDefinition}>Open the definition</MenuItem>}
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
