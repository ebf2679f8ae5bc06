import type { Template } from '@hortus/contract/resources/templates';
import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { bytes, cores } from '@hortus/template/notation/quantity';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApi } from '../../api/query.ts';
import { counted, memory } from '../../parts/amount.ts';
import { Status, sentenceCase, Tag, wordOf } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';

/** What a species asks for, can do and keeps, in words. */
export function Facts({ template, spec }: { template: Template; spec: Canonical }) {
  const rows: readonly (readonly [string, ReactNode])[] = [
    ['Backup', backupWords(spec)],
    ['Actions', <Actions key="actions" spec={spec} />],
    ['Asks for', <Access key="access" spec={spec} />],
    ['Needs', needsWords(spec)],
    ['Inputs', <InputList key="inputs" spec={spec} />],
    ['Verified', <Verified key="verified" verified={template.verified} />],
    ['Growing here', <Growing key="growing" species={template.species} />],
    ['More', <Links key="links" links={spec.links} />],
  ];
  return (
    <dl className="species-facts">
      {rows.map(([term, value]) => (
        <div key={term} className="contents">
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Verified({ verified }: Pick<Template, 'verified'>) {
  if (!verified) return 'Not as a whole: its first deployment here is the test.';
  return (
    <>
      <Time at={verified.at} />: deployed, tested, backed up, lost and restored.
    </>
  );
}

function backupWords({ backup, actions }: Canonical): string {
  const dump = actions.find(({ slug }) => slug === backup.dump_action)?.name;
  const volumes = backup.volumes.map(({ name }) => name).join(', ');
  const parts = [
    (backup.strategy === 'dump' || backup.strategy === 'both') && `the output of “${dump ?? backup.dump_action}”`,
    (backup.strategy === 'volume' || backup.strategy === 'both') &&
      (volumes === '' ? 'its volumes' : `the ${backup.volumes.length === 1 ? 'volume' : 'volumes'} ${volumes}`),
  ].filter(Boolean);
  if (parts.length === 0) return 'Nothing to keep: it declares no backup.';
  const often = backup.schedule_hint ? `, suggested ${backup.schedule_hint}` : '';
  return `${sentenceCase(parts.join(' and '))}${often}.`;
}

function Actions({ spec: { actions } }: { spec: Canonical }) {
  if (actions.length === 0) return 'None beyond start, stop and restart.';
  return (
    <ul className="flex flex-wrap gap-x-3 gap-y-1">
      {actions.map(({ slug, name, description, dangerous }) => (
        <li key={slug} title={description} className={dangerous ? 'text-bad-ink' : ''}>
          {name}
          {dangerous && <span className="text-ink-3"> (destructive)</span>}
        </li>
      ))}
    </ul>
  );
}

function Access({ spec: { permissions, components } }: { spec: Canonical }) {
  const volumes = new Set(Object.values(components).flatMap(({ storage }) => storage.map(({ name }) => name)));
  if (permissions.length === 0)
    return `Nothing beyond its own network${volumes.size > 0 ? ` and ${counted(volumes.size, 'volume')}` : ''}.`;
  return (
    <ul className="grid gap-1">
      {permissions.map(({ kind, component, value, reason }) => (
        <li key={`${kind} ${component} ${value}`}>
          <Tag tone="warn">{kind.replaceAll('_', ' ')}</Tag> {value && <code>{value}</code>} {reason}
        </li>
      ))}
    </ul>
  );
}

/** Limits of its services in the profile development, and other instances that it uses. */
function needsWords({ components, needs }: Canonical): string {
  const services = Object.values(components).filter(({ kind }) => kind === 'service');
  const sum = (amounts: readonly (number | undefined)[]) =>
    amounts.reduce<number>((all, amount) => all + (amount ?? 0), 0);
  const ram = sum(services.map(({ resources, replicas }) => (bytes(resources.memory ?? '') ?? 0) * replicas));
  const cpu = sum(services.map(({ resources, replicas }) => (cores(String(resources.cpu ?? '')) ?? 0) * replicas));
  const own = [
    ram > 0 && `up to ${memory(ram)} of memory`,
    cpu > 0 && `up to ${counted(cpu, 'core')}`,
    ...needs.map((need) => `${need.optional ? 'optionally ' : ''}${need.class} from another instance`),
  ].filter(Boolean);
  return own.length === 0 ? 'No limits are declared.' : `${sentenceCase(own.join(', '))}.`;
}

function InputList({ spec: { inputs } }: { spec: Canonical }) {
  const all = [
    ...inputs.required.map((input) => ({ ...input, required: input.default === undefined })),
    ...inputs.optional.map((input) => ({ ...input, required: false })),
  ];
  if (all.length === 0) return 'None. It runs as it is.';
  return (
    <details>
      <summary className="cursor-pointer">
        {counted(all.length, 'input')}, {all.filter(({ required }) => required).length} required
      </summary>
      <ul className="mt-2 grid gap-1.5">
        {all.map(({ name, label, type, required, description }) => (
          <li key={name}>
            <code>{name}</code> <Tag>{type}</Tag> {required && <Tag tone="leaf">required</Tag>}{' '}
            <span className="text-ink-2">{description ?? label}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Growing({ species }: { species: string }) {
  const overview = useApi('overview.read').data?.data;
  const instances = overview?.instances?.filter((instance) => instance.species === species) ?? [];
  if (instances.length === 0) return 'Nowhere yet.';
  const serverOf = new Map(overview?.servers?.map(({ id, name }) => [id, name]));
  return (
    <ul className="grid gap-1">
      {instances.slice(0, 8).map((instance) => (
        <li key={instance.id} className="flex flex-wrap gap-x-2">
          <Link to="/instances/$id" params={{ id: instance.id }} className="link">
            {instance.name}
          </Link>
          on {serverOf.get(instance.server_id) ?? 'another server'}
          <Status state={wordOf(instance)} />
        </li>
      ))}
      {instances.length > 8 && <li>and {instances.length - 8} more</li>}
    </ul>
  );
}

function Links({ links }: { links: Canonical['links'] }) {
  const all = Object.entries(links).filter(([, address]) => /^https?:\/\//.test(address));
  if (all.length === 0) return '–';
  return (
    <ul className="flex flex-wrap gap-x-4">
      {all.map(([name, address]) => (
        <li key={name}>
          <a className="link" href={address} target="_blank" rel="noreferrer noopener">
            {sentenceCase(name)}
          </a>
        </li>
      ))}
    </ul>
  );
}
