import type { Definition } from '@hortus/contract/resources/definition-records';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi, useOrder } from '../../api/query.ts';
import { useMay } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDanger } from '../../parts/confirm-danger.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Mark } from '../../parts/mark.tsx';
import { Menu, MenuItem } from '../../parts/menu.tsx';
import { Status } from '../../parts/status.tsx';
import { toast, toastProblem } from '../../parts/toast.tsx';
import { useRedeploy } from '../instance/redeploy.ts';
import { useServers } from '../servers/known-servers.ts';

/** The name, where it runs, and the orders on the whole definition. */
export function DefinitionHead({ definition }: { definition: Definition }) {
  const { id, name, species, family, server_id, status, current_revision, instance_uid } = definition;
  const { nameOf: serverName } = useServers();
  const instance = useApi('overview.read').data?.data.instances?.find(({ definition_id }) => definition_id === id);
  return (
    <>
      <nav aria-label="Place" className="mb-2 text-sm text-ink-3">
        <Link to="/definitions" className="hover:text-ink">
          Definitions
        </Link>{' '}
        › {name}
      </nav>
      <header className="instance-head">
        <Mark species={species} family={family} size={72} />
        <div className="min-w-0 flex-1">
          <h1 className="truncate">{name}</h1>
          <div className="mt-1.5 flex flex-wrap gap-x-4 gap-y-1 text-ink-2">
            <Status state={status} tone={status === 'active' ? 'ok' : status === 'pending' ? 'wait' : 'idle'} />
            <span>
              {species} {definition.template_version} on{' '}
              <Link to="/servers/$id" params={{ id: server_id }} className="link">
                {serverName(server_id)}
              </Link>
            </span>
            <span>revision {current_revision}</span>
            {instance && (
              <Link to="/instances/$id" params={{ id: instance.id }} className="link">
                Open its instance
              </Link>
            )}
            <code className="text-ink-3 max-phone:hidden">{instance_uid}</code>
          </div>
        </div>
        <Controls definition={definition} />
      </header>
    </>
  );
}

function Controls({ definition }: { definition: Definition }) {
  const { id, name, status, current_revision } = definition;
  const may = useMay();
  const deploy = useRedeploy(id, name);
  const archive = useOrder('definitions.archive');
  const activate = useOrder('definitions.activate');
  const [archiving, setArchiving] = useState(false);
  const isArchived = status === 'archived';
  return (
    <div className="controls">
      {may('deployments:execute') && !isArchived && (
        <Button kind="primary" onClick={deploy}>
          Deploy revision {current_revision}
        </Button>
      )}
      {may('definitions:write') && isArchived && (
        <Button
          busy={activate.isPending}
          onClick={() =>
            activate
              .mutateAsync({ params: { id } })
              .then(() => toast(`${name} is active again.`))
              .catch(toastProblem(`Could not activate ${name}.`))
          }
        >
          Activate
        </Button>
      )}
      {may('definitions:write') && !isArchived && (
        <Menu
          button={
            <Button square aria-label="More">
              <Icon name="more" />
            </Button>
          }
        >
          <MenuItem danger onSelect={() => setArchiving(true)}>
            Archive…
          </MenuItem>
        </Menu>
      )}
      {archiving && (
        <ConfirmDanger
          action="Archive"
          name={name}
          onClose={() => setArchiving(false)}
          onConfirm={async () => {
            await archive.mutateAsync({ params: { id } });
            toast(`${name} is archived.`);
          }}
        >
          <p>
            Archiving {name} removes its containers. Its volumes, revisions and backups stay; it can be activated again.
          </p>
        </ConfirmDanger>
      )}
    </div>
  );
}
