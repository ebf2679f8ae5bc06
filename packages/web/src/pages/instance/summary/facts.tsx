import type { InstanceOverview } from '@hortus/contract/resources/overview';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Status } from '../../../parts/status.tsx';
import { Time } from '../../../parts/time.tsx';

/** What a person looks up: address, definition, spec, volumes, times. */
export function Facts({ about: { instance, definition, backup } }: { about: InstanceOverview }) {
  const volumes = backup?.volumes ?? [];
  const rows: (readonly [string, ReactNode])[] = [
    [
      'Address',
      instance.url ? (
        <a key="address" className="link" href={instance.url} target="_blank" rel="noreferrer">
          {instance.url}
        </a>
      ) : (
        'none; reachable by other instances of its tenant only'
      ),
    ],
    ['Id', <code key="id">{instance.id}</code>],
    ['Container', <code key="container">{instance.container_name}</code>],
    [
      'Definition',
      <Link key="definition" to="/definitions/$id" params={{ id: instance.definition_id }} className="link">
        {definition ? `${definition.name}, revision ${definition.current_revision}` : instance.definition_id}
      </Link>,
    ],
    [
      'Spec',
      <span key="spec" className="flex flex-wrap gap-x-3">
        {definition && <code>{short(definition.spec_hash)}</code>}
        {instance.drift.length === 0 ? <Status state="healthy">no drift</Status> : <Status state="drift" tone="warn" />}
      </span>,
    ],
    ['Volumes', volumes.map(({ name, critical }) => `${name}${critical ? ' (critical)' : ''}`).join(', ') || 'none'],
    ['Last report', instance.last_reported_at ? <Time key="report" at={instance.last_reported_at} ago /> : 'not yet'],
  ];
  return (
    <dl className="instance-facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** "sha256:77e0…4d1a" */
const short = (hash: string): string => hash.replace(/^(sha256:.{4}).*(.{4})$/, '$1…$2');
