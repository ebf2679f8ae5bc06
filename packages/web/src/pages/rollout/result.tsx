import type { Instance } from '@hortus/contract/resources/instance-records';
import { Copy } from '../../parts/copy.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Status, wordOf } from '../../parts/status.tsx';

/** What came of a successful deployment: where it answers, or which revision runs by now. */
export function Result({
  instance,
  isComing,
  revision,
}: {
  instance: Instance | undefined;
  /** Whether the instance is being read; its place is kept. */
  isComing: boolean;
  revision: number;
}) {
  if (instance?.revision === revision) return <Address instance={instance} revision={revision} />;
  if (instance?.revision != null) return <p className="mb-6 text-ink-2">Revision {instance.revision} runs now.</p>;
  return isComing ? <div className="sheet address min-h-[82px]" aria-hidden="true" /> : null;
}

/** Where the deployed instance answers. */
function Address({ instance, revision }: { instance: Instance; revision: number }) {
  const { url } = instance;
  const state = (
    <span className="text-sm">
      <Status state={wordOf(instance)} />
    </span>
  );
  if (url === null || !/^https?:\/\//.test(url))
    return (
      <div className="sheet address">
        {state}
        <div className="min-w-0 flex-1">
          <p className="url">{instance.name}</p>
          <p className="text-sm text-ink-2">
            It has no public address. Revision {revision} runs as <code>{instance.container_name}</code> on its server.
          </p>
        </div>
      </div>
    );
  return (
    <div className="sheet address">
      {state}
      <div className="min-w-0 flex-1">
        <p className="url">{url.replace(/^https?:\/\//, '').replace(/\/$/, '')}</p>
        <p className="text-sm text-ink-2">Revision {revision} answers here.</p>
      </div>
      <Copy text={url} label="Copy address" />
      <a className="btn primary" href={url} target="_blank" rel="noreferrer noopener">
        Open <Icon name="out" />
        <span className="sr-only"> in a new tab</span>
      </a>
    </div>
  );
}
