import type { InstanceOverview } from '@hortus/contract/resources/overview';
import { useEffect, useRef, useState } from 'react';
import { useOrder } from '../../../api/query.ts';
import { Button } from '../../../parts/button.tsx';
import { useListSearch } from '../../../parts/list-search.ts';
import { Empty } from '../../../parts/page.tsx';
import { Status } from '../../../parts/status.tsx';
import { Trouble } from '../../../parts/waiting.tsx';
import { type FrameMessage, frameAddress } from '../../../terminal/frame-message.ts';

/** A shell in a container. The person opens it; nothing runs because a page was opened. */
export function ShellTab({ about: { instance } }: { about: InstanceOverview }) {
  const [search, change] = useListSearch('/frame/instances/$id');
  const names = instance.components.map(({ name }) => name);
  const component = names.find((name) => name === search.component);
  const openShell = useOrder('shells.open');
  const [session, setSession] = useState<string>();
  const isRunning = instance.status === 'running';
  const open = () =>
    openShell
      .mutateAsync({
        params: { id: instance.id },
        body: { ...(component !== undefined && { component }), term: 'xterm-256color' },
      })
      .then(
        ({ data }) => setSession(data.id),
        () => setSession(undefined),
      );
  return (
    <section aria-label="Shell">
      <div className="filters items-center">
        {names.length > 1 && (
          <select
            className="input filter"
            aria-label="Component"
            value={component ?? ''}
            onChange={(event) => change({ component: event.target.value || undefined })}
          >
            <option value="">Main component</option>
            {names.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        )}
        <Button kind="primary" disabled={!isRunning} busy={openShell.isPending} onClick={open}>
          {session ? 'Open another shell' : 'Open a shell'}
        </Button>
        {!isRunning && <span className="text-ink-2">It does not run. Start it first.</span>}
      </div>
      {openShell.error && <Trouble error={openShell.error} />}
      {session ? (
        <Frame key={session} session={session} />
      ) : (
        <Empty title="No shell is open.">
          A shell reaches the data and the secrets of the container. What the terminal shows is recorded for 30 days;
          what you type is not. It closes after 30 minutes without use.
        </Empty>
      )}
    </section>
  );
}

/** The terminal, in a frame whose policy allows the style elements that it writes. */
function Frame({ session }: { session: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [state, setState] = useState<FrameMessage>();
  useEffect(() => {
    const onReceived = ({ source, origin, data }: MessageEvent<FrameMessage>) => {
      if (source === frame.current?.contentWindow && origin === location.origin) setState(data);
    };
    const themes = new MutationObserver(() => {
      const { theme = 'light' } = document.documentElement.dataset;
      frame.current?.contentWindow?.postMessage({ type: 'theme', theme } satisfies FrameMessage, location.origin);
    });
    themes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    addEventListener('message', onReceived);
    return () => {
      removeEventListener('message', onReceived);
      themes.disconnect();
    };
  }, []);
  return (
    <>
      <p role="status" className="mb-2 min-h-6 text-sm">
        {state === undefined && <Status state="pending">Connecting</Status>}
        {state?.type === 'started' && (
          <Status state="running" tone="now">
            In {state.component}
          </Status>
        )}
        {state?.type === 'ended' && <Status state="stopped">{state.words}</Status>}
      </p>
      <iframe ref={frame} className="shell-frame" title="Terminal" src={frameAddress(session)} />
    </>
  );
}
