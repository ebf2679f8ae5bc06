import type { Server } from '@hortus/contract/resources/server-records';
import type { ReactNode } from 'react';
import { Status } from '../../../parts/status.tsx';
import { Time } from '../../../parts/time.tsx';
import { labelText } from '../labels.ts';

/** What the daemon reported about itself, its engine and its machine; what it did not report is left out. */
export function Facts({ server }: { server: Server }) {
  const {
    daemon,
    fingerprint,
    networks,
    identity,
    trusted,
    last_seen_at,
    connected,
    created_at,
    deploy_tests,
    labels,
  } = server;
  const rows: [string, ReactNode][] = [
    [
      'Channel',
      connected ? <Status key="open" state="open" tone="ok" /> : <Status key="closed" state="closed" tone="idle" />,
    ],
    ['Last seen', last_seen_at ? <Time key="seen" at={last_seen_at} ago /> : 'never'],
    ['Daemon', daemon.newer_version === null ? daemon.version : `${daemon.version}, ${daemon.newer_version} available`],
    ['Refused', daemon.refused?.reason ?? null],
    ['System', [daemon.os, daemon.arch].filter(Boolean).join(' · ') || null],
    [
      'Engine',
      [daemon.engine ?? fingerprint?.engine, fingerprint?.rootless && 'rootless'].filter(Boolean).join(', ') || null,
    ],
    ['Engine API', fingerprint?.api_version ?? null],
    ['Storage driver', fingerprint?.storage_driver ?? null],
    ['cgroups', fingerprint?.cgroup ?? null],
    ['GPU', fingerprint ? (fingerprint.gpu_runtime ?? 'none') : null],
    ['Routes', daemon.ingress ?? null],
    [
      'Networks',
      networks ? `${networks.free.toLocaleString()} of ${networks.total.toLocaleString()} blocks free` : null,
    ],
    ['Trust', trusted ? 'trusted' : <Status key="trust" state="not trusted" tone="warn" />],
    ['Identity', <Identity key="identity" identity={identity} />],
    ['Labels', labelText(labels) || null],
    ['Template tests', deploy_tests ? 'run here' : 'do not run here'],
    ['Registered', <Time key="created" at={created_at} ago />],
  ];
  const known = rows.filter(([, value]) => value !== null);
  return (
    <dl className="facts">
      {known.map(([name, value]) => (
        <div key={name} className="contents">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Identity({ identity: { status, fingerprint } }: { identity: Server['identity'] }) {
  const tone = status === 'pinned' ? 'ok' : status === 'conflict' ? 'bad' : 'warn';
  return (
    <>
      <Status state={status} tone={tone} />
      {fingerprint && <code className="block text-xs text-ink-3">{fingerprint}</code>}
    </>
  );
}
