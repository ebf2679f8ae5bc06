import { alertMachine } from '@hortus/contract/machines/alert';
import type { Alert } from '@hortus/contract/resources/notifications';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApi } from '../../../api/query.ts';
import { Copied } from '../../../parts/copy.tsx';
import { Filter } from '../../../parts/filters.tsx';
import { useListSearch } from '../../../parts/list-search.ts';
import { Empty } from '../../../parts/page.tsx';
import { Status, type Tone } from '../../../parts/status.tsx';
import { Pager } from '../../../parts/table.tsx';
import { Since, Time } from '../../../parts/time.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { NotificationsFrame } from '../notifications-frame.tsx';

const TONES: Readonly<Record<Alert['status'], Tone>> = { pending: 'wait', open: 'bad', resolved: 'ok' };
const PATHS = {
  server: '/servers/$id',
  instance: '/instances/$id',
  definition: '/definitions/$id',
} as const;
const hasPath = (type: string): type is keyof typeof PATHS => Object.hasOwn(PATHS, type);

/** What is wrong or was wrong, each with what to do. */
export function AlertsPage(): ReactNode {
  const [search] = useListSearch('/frame/notifications');
  const status = alertMachine.states.find((state) => state === search.status);
  const query = useApi('notifications.alerts', { query: { page: search.page ?? 1, ...(status && { status }) } });
  const open = query.data?.data.filter((alert) => alert.status === 'open').length;
  const sentence =
    open === undefined ? undefined : open === 0 ? 'No open alert.' : `${open} open ${open === 1 ? 'alert' : 'alerts'}.`;
  return (
    <NotificationsFrame title="Alerts" sentence={sentence}>
      <div className="filters">
        <Filter name="status" label="State" options={alertMachine.states} />
      </div>
      <Loaded query={query} lines={8}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title={status ? `No alert is ${status}.` : 'No alerts.'}>
              Rules watch servers, instances, backups and certificates, and raise an alert when something lasts too
              long. Add a channel to be told about it.
            </Empty>
          ) : (
            <>
              <ul className="records">
                {data.map((alert) => (
                  <One key={alert.id} alert={alert} />
                ))}
              </ul>
              <Pager {...pagination} />
            </>
          )
        }
      </Loaded>
    </NotificationsFrame>
  );
}

function One({ alert }: { alert: Alert }) {
  const { status, title, text, fix, since, resolved_at, resource_type, resource_id } = alert;
  return (
    <li>
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <h3 className="min-w-0 flex-1 [overflow-wrap:anywhere]">{title}</h3>
        <Status state={status} tone={TONES[status]} />
        <span className="text-sm text-ink-3">
          {resolved_at ? (
            <>
              resolved <Time at={resolved_at} ago />
            </>
          ) : (
            <>
              for <Since at={since} />
            </>
          )}
        </span>
      </div>
      <p className="mt-1 mb-2 max-w-[80ch] text-ink-2 [overflow-wrap:anywhere]">{text}</p>
      {status !== 'resolved' && (
        <div className="flex max-w-[80ch] flex-wrap items-center gap-3">
          {hasPath(resource_type) && (
            <Link to={PATHS[resource_type]} params={{ id: resource_id }} className="btn small">
              Open the {resource_type}
            </Link>
          )}
          {fix && (
            <div className="min-w-[240px] flex-1">
              <Copied text={fix} label="Copy command" />
            </div>
          )}
        </div>
      )}
    </li>
  );
}
