import type { Overview, OverviewInstance, OverviewServer } from '@hortus/contract/resources/overview';
import { PlaceLink } from '../../frame/place-link.tsx';
import { disk, memory } from '../../parts/amount.ts';
import { Mark } from '../../parts/mark.tsx';
import { Meter } from '../../parts/meter.tsx';
import { Section } from '../../parts/page.tsx';
import { Status, StatusDot, Tag, toneOf, wordOf } from '../../parts/status.tsx';

/** Plants in one row; the last row of a bed shows the free ground beside them. */
const PER_ROW = 8;
const MOST_PLANTS = 4 * PER_ROW;

/** Every server as a bed: its room, and one plant for each instance. */
export function Beds({ overview: { servers, instances } }: { overview: Overview }) {
  if (!servers) return <div />;
  const onServer = Map.groupBy(instances ?? [], ({ server_id }) => server_id);
  return (
    <Section
      className="beds"
      title="Servers"
      note="each plant is one instance"
      more={<PlaceLink to="/servers">All servers</PlaceLink>}
    >
      {servers.map((server) => (
        <Bed key={server.id} server={server} plants={onServer.get(server.id) ?? []} />
      ))}
    </Section>
  );
}

function Bed({ server, plants }: { server: OverviewServer; plants: readonly OverviewInstance[] }) {
  const { id, name, environment, status, arch, os, engine } = server;
  const facts = [arch, os, engine].filter(Boolean).join(' · ');
  const shown = plants.slice(0, MOST_PLANTS);
  const free = (PER_ROW - (shown.length % PER_ROW)) % PER_ROW || (shown.length === 0 ? PER_ROW : 0);
  return (
    <div className="sheet bed">
      <div className="bed-top">
        <div className="min-w-0">
          <h3 className="flex items-baseline gap-2 font-serif text-[19px]/[1.15] font-[480]">
            <PlaceLink to="/servers/$id" params={{ id }}>
              {name}
            </PlaceLink>
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
        {shown.map((plant) => (
          <Plant key={plant.id} plant={plant} />
        ))}
        {Array.from({ length: free }, (_, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: free places are alike
          <li key={`free ${place}`} className="free" aria-hidden="true" />
        ))}
      </ul>
      {plants.length > shown.length && (
        <p className="pb-3 text-xs text-ink-3">and {(plants.length - shown.length).toLocaleString()} more</p>
      )}
    </div>
  );
}

function Plant({ plant }: { plant: OverviewInstance }) {
  const word = wordOf(plant);
  const tone = toneOf(word);
  return (
    <li className={tone === 'idle' ? 'off' : tone}>
      <PlaceLink to="/instances/$id" params={{ id: plant.id }} title={`${plant.name}, ${plant.species}, ${word}`}>
        <Mark species={plant.species} family={plant.family} size={36} />
        {tone !== 'ok' && (
          <span className="pin">
            <StatusDot state={word} />
          </span>
        )}
        <span className="name">{plant.name}</span>
      </PlaceLink>
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
