import type { InstanceOverview } from '@hortus/contract/resources/overview';
import { Link } from '@tanstack/react-router';
import { Mark } from '../../parts/mark.tsx';
import { Status, sentenceCase, Tag, toneOf, wordOf } from '../../parts/status.tsx';
import { Since, Time } from '../../parts/time.tsx';
import { Controls } from './controls.tsx';

/** The name, how it is since when, and what can be done with it. */
export function Head({ about }: { about: InstanceOverview }) {
  const { instance, server, definition } = about;
  const { name, species, family, revision, url } = instance;
  return (
    <>
      <nav aria-label="Place" className="mb-2 text-sm text-ink-3">
        <Link to="/instances" className="hover:text-ink">
          Instances
        </Link>{' '}
        › {name}
      </nav>
      <header className="instance-head">
        <Mark species={species} family={family} size={72} />
        <div className="min-w-0 flex-1">
          <h1 className="truncate">{name}</h1>
          <div className="mt-1.5 flex flex-wrap gap-x-4 gap-y-1 text-ink-2">
            <HowItIs about={about} />
            <span>
              {species}
              {definition && ` ${definition.template_version}`}
              {server && (
                <>
                  {' '}
                  on{' '}
                  <Link to="/servers/$id" params={{ id: server.id }} className="link">
                    {server.name}
                  </Link>
                </>
              )}
            </span>
            {revision !== null && <span>revision {revision}</span>}
            {definition && revision !== null && definition.current_revision > revision && (
              <Link to="/definitions/$id" params={{ id: definition.id }}>
                <Tag tone="warn">revision {definition.current_revision} is not deployed</Tag>
              </Link>
            )}
            {url && (
              <a className="link" href={url} target="_blank" rel="noreferrer">
                {url.replace(/^https?:\/\//, '')}
              </a>
            )}
          </div>
        </div>
        <Controls about={about} />
      </header>
    </>
  );
}

/** "Running, healthy for 12 days"; a server that is offline comes first, because the rest is then old. */
function HowItIs({ about: { instance, server } }: { about: InstanceOverview }) {
  const { status, health, started_at, updated_at, last_reported_at } = instance;
  if (server?.status === 'offline' && status !== 'released')
    return (
      <Status state="offline">
        <span>
          Its server is offline
          {last_reported_at && (
            <>
              , last seen <Time at={last_reported_at} ago />
            </>
          )}
        </span>
      </Status>
    );
  const words = status === 'running' && health !== 'unknown' ? `Running, ${health}` : sentenceCase(status);
  const since = toneOf(wordOf(instance)) === 'ok' ? (started_at ?? updated_at) : updated_at;
  return (
    <Status state={wordOf(instance)}>
      <span>
        {words} for <Since at={since} />
      </span>
    </Status>
  );
}
