import type { OverviewServer } from '@hortus/contract/resources/overview';
import { AUTO_SERVER } from '@hortus/contract/resources/placement-records';
import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import { memory } from '../../../parts/amount.ts';
import { Status } from '../../../parts/status.tsx';

/** Servers that take no new work cannot be chosen. */
const takesWork = ({ status }: OverviewServer): boolean => status !== 'draining' && status !== 'disabled';

const freeOf = ({ capacity }: OverviewServer): number => capacity?.memory?.free ?? 0;

/** The server that a new instance would best go to: trusted, online, with the most free memory as its daemon reports it. */
export const bestServer = (servers: readonly OverviewServer[]): OverviewServer | undefined =>
  [...servers]
    .filter((server) => server.trusted && takesWork(server))
    .sort((a, b) => Number(b.status === 'online') - Number(a.status === 'online') || freeOf(b) - freeOf(a))
    .at(0);

/** The choice of a server, with the room that each has. With several, the service may choose. */
export function ServerPick({
  servers,
  value,
  onChange,
}: {
  /** Undefined before they are read, null if the person may not read them. */
  servers: readonly OverviewServer[] | null | undefined;
  value: string | undefined;
  onChange: (id: string) => void;
}) {
  const name = useId();
  if (!servers || servers.length === 0)
    return (
      <div className="field">
        <p className="field-label">Server</p>
        {servers === undefined ? <div className="server-pick h-[44px]" /> : <NoServer isHidden={servers === null} />}
      </div>
    );
  return (
    <fieldset className="field">
      <legend className="field-label">Server</legend>
      <div className="server-pick">
        {servers.length > 1 && (
          <label>
            <input
              type="radio"
              className="radio"
              name={name}
              checked={value === AUTO_SERVER}
              onChange={() => onChange(AUTO_SERVER)}
            />
            <b className="font-[550]">Choose for me</b>
            <span className="about truncate text-ink-3">the trusted server with the most room</span>
            <span />
          </label>
        )}
        {servers.map((server) => (
          <label key={server.id}>
            <input
              type="radio"
              className="radio"
              name={name}
              checked={server.id === value}
              disabled={!takesWork(server)}
              onChange={() => onChange(server.id)}
            />
            <b className="font-[550]">{server.name}</b>
            <span className="about truncate text-ink-3">
              {server.status === 'online' ? (
                [server.environment, server.arch, !server.trusted && 'not trusted'].filter(Boolean).join(', ')
              ) : (
                <Status state={server.status} />
              )}
            </span>
            <span>{server.capacity?.memory ? `${memory(server.capacity.memory.free)} free` : ''}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function NoServer({ isHidden }: { isHidden: boolean }) {
  if (isHidden) return <p className="notice">Choosing a server needs the permission to read servers.</p>;
  return (
    <p className="notice">
      There is no server yet. Any Linux machine with Docker or Podman becomes one.{' '}
      <Link to="/servers" className="link">
        Register a server
      </Link>
    </p>
  );
}
