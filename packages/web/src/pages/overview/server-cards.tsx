import type { Overview, OverviewInstance, OverviewServer } from '@hortus/contract/resources/overview';
import { Link } from '@tanstack/react-router';
import { disk, memory } from '../../parts/amount.ts';
import { Mark } from '../../parts/mark.tsx';
import { Meter } from '../../parts/meter.tsx';
import { Section } from '../../parts/page.tsx';
import { Status, StatusDot, Tag, toneOf, wordOf } from '../../parts/status.tsx';

/** Plants in one row; the last row of a bed shows the free ground beside them. */
const PER_ROW = 8;
const MAX_INSTANCES = 4 * PER_ROW;

/** Every server as a bed: its room, and one plant for each instance. */
export function ServerCards({ overview: { servers, instances } }: { overview: Overview }) {
  if (!servers) return <div />;
  const onServer = Map.groupBy(instances ?? [], ({ server_id }) => server_id);
  return (
    <Section
      className="beds"
      title="Servers"
      note="each plant is one instance"
      more={<Link to="/servers">All servers</Link>}
    >
      {servers.map((server) => (
        <ServerCard key={server.id} server={server} instances={onServer.get(server.id) ?? []} />
      ))}
    </Section>
  );
}

function ServerCard({ server, instances }: { server: OverviewServer; instances: readonly OverviewInstance[] }) {
  const { id, name, environment, status, arch, os, engine } = server;
  const facts = [arch, os, engine].filter(Boolean).join(' · ');
  const shown = instances.slice(0, MAX_INSTANCES);
  const free = (PER_ROW - (shown.length % PER_ROW)) % PER_ROW || (shown.length === 0 ? PER_ROW : 0);
  return (
    <div className="sheet bed">
      <div className="bed-top">
        <div className="min-w-0">
          <h3 className="flex items-baseline gap-2 font-serif text-[19px]/[1.15] font-[480]">
            <Link to="/servers/$id" params={{ id }}>
              {name}
            </Link>
            <Tag>{environment}</Tag>
            {status !== 'online' && (
              <span className="font-sans text-xs">
                <Status state={status} />
              </span>
            )}
          </h3>
          <p className="mt-0.5 truncate text-xs text-ink-3">{facts || 'No daemon has connected yet.'}</p>
        </div>
        <Room server={server} />
      </div>
      <ul className="plants">
        {shown.map((instance) => (
          <InstanceMark key={instance.id} instance={instance} />
        ))}
        {Array.from({ length: free }, (_, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: free places are alike
          <li key={`free ${place}`} className="free" aria-hidden="true" />
        ))}
      </ul>
      {instances.length > shown.length && (
        <p className="pb-3 text-xs text-ink-3">and {(instances.length - shown.length).toLocaleString()} more</p>
      )}
    </div>
  );
}

function InstanceMark({ instance }: { instance: OverviewInstance }) {
  const word = wordOf(instance);
  const tone = toneOf(word);
  return (
    <li className={tone === 'idle' ? 'off' : tone}>
      <Link to="/instances/$id" params={{ id: instance.id }} title={`${instance.name}, ${instance.species}, ${word}`}>
        <Mark species={instance.species} family={instance.family} size={36} />
        {tone !== 'ok' && (
          <span className="pin">
            <StatusDot state={word} />
          </span>
        )}
        <span className="name">{instance.name}</span>
      </Link>
    </li>
  );
}

function Room({ server: { name, capacity } }: { server: OverviewServer }) {
  const rows = [
    { label: 'CPU', percent: capacity?.cpu?.used_percent, used: undefined, all: undefined },
    { label: 'Memory', ...share(capacity?.memory, memory) },
    { label: 'Disk', ...share(capacity?.disk, disk) },
  ];
  return rows.map(({ label, percent, used, all }) => (
    <div key={label}>
      <p className="mb-1.5 flex justify-between gap-1.5 text-xs whitespace-nowrap text-ink-3">
        <span>{label}</span>
        <span>
          <b className="font-medium text-ink-2">{used ?? (percent === undefined ? '–' : `${Math.round(percent)} %`)}</b>
          {all && <span className="whole"> of {all}</span>}
        </span>
      </p>
      <Meter label={`${label} of ${name}`} percent={percent ?? 0} />
    </div>
  ));
}

function share(part: { used: number; free: number } | null | undefined, print: (bytes: number) => string) {
  if (!part) return { percent: undefined, used: undefined, all: undefined };
  const whole = part.used + part.free;
  const [all, used] = [print(whole), print(part.used)];
  const unit = all.split(' ')[1];
  return { percent: (part.used / whole) * 100, used: used.endsWith(` ${unit}`) ? used.split(' ')[0] : used, all };
}
