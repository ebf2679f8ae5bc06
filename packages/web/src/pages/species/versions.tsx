import type { TemplateVersion } from '@hortus/contract/resources/templates';
import type { Change } from '@hortus/contract/resources/upgrades';
import { useApi } from '../../api/query.ts';
import { counted } from '../../parts/amount.ts';
import { Section } from '../../parts/page.tsx';
import { Tag } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { Loaded } from '../../parts/waiting.tsx';

/** The published versions of a species, newest first, with what each one changed. */
export function Versions({ species }: { species: string }) {
  const query = useApi('templates.versions', { params: { species } });
  return (
    <Section title="Versions">
      <Loaded query={query} lines={2}>
        {({ data }) => (
          <ul className="border-t border-line text-sm">
            {data.map((version, place) => (
              <Version key={version.id} version={version} isFirst={place === data.length - 1} />
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}

function Version({ version, isFirst }: { version: TemplateVersion; isFirst: boolean }) {
  const { changes } = version;
  const about = isFirst
    ? 'the first version'
    : changes.length === 0
      ? 'nothing that a deployment would notice'
      : counted(changes.length, 'change');
  const head = (
    <>
      <b className="font-[550]">{version.version}</b>
      {version.app_version && <span className="text-ink-3"> runs {version.app_version}</span>}
      <span className="text-ink-2">, {about}</span> {version.deprecated && <Tag tone="warn">deprecated</Tag>}
      <span className="float-right text-ink-3">
        <Time at={version.created_at} ago />
      </span>
    </>
  );
  if (changes.length === 0) return <li className="border-b border-line py-2.5">{head}</li>;
  return (
    <li className="border-b border-line">
      <details>
        <summary className="cursor-pointer py-2.5">{head}</summary>
        <ul className="mb-3 ml-4 grid gap-1">
          {changes.map((change) => (
            <li key={`${change.area} ${change.component} ${change.name}`}>
              <ChangeWords change={change} />
            </li>
          ))}
        </ul>
      </details>
    </li>
  );
}

const SIGN = { added: '+', removed: '−', changed: '~' } as const;

function ChangeWords({ change: { area, component, name, change, from, to } }: { change: Change }) {
  return (
    <>
      <code aria-hidden="true" className="mr-2 text-ink-3">
        {SIGN[change]}
      </code>
      <span className="sr-only">{change} </span>
      {area} <b className="font-[550]">{name}</b>
      {component && <> of {component}</>}
      {change === 'changed' && (
        <span className="text-ink-2 [overflow-wrap:anywhere]">
          : <code>{cut(from)}</code> → <code>{cut(to)}</code>
        </span>
      )}
    </>
  );
}

const cut = (text: string | null): string =>
  text !== null && text.length > 80 ? `${text.slice(0, 79)}…` : (text ?? '');
