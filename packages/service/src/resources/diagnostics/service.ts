import type { DaemonError, Diagnostics, DiagnosticsReport } from '@hortus/contract/resources/diagnostics';
import { isSecretName, REMOVED, redact } from '@hortus/logging/redact';
import type { Principal } from '../../identity/principal.ts';
import { notFound } from '../../problem.ts';
import { iso } from '../../records/time.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import { findServer } from '../servers/public.ts';
import { type DiagnosticsRow, diagnosticsOf, writeDiagnostics } from './store.ts';

export interface ServerDiagnosticsDeps {
  readonly reader: Queries;
  /** Version of the service. */
  readonly version: string;
}

/** Keeps the last report of each daemon. */
export class ServerDiagnostics {
  readonly #deps: ServerDiagnosticsDeps;
  constructor(deps: ServerDiagnosticsDeps) {
    this.#deps = deps;
  }

  async read({ accountId }: Principal, serverId: string): Promise<Diagnostics> {
    const { reader, version } = this.#deps;
    if (!(await findServer(reader, accountId, serverId))) throw notFound('server');
    const rows = await diagnosticsOf(reader, serverId);
    return { server_id: serverId, service_version: version, daemons: rows.map(daemonRecord) };
  }

  async report(tx: Tx, principal: Principal, serverId: string, report: DiagnosticsReport) {
    // A daemon reports only on its own server.
    if (principal.kind === 'server' && principal.serverId !== serverId) throw notFound('server');
    if (!(await findServer(tx, principal.accountId, serverId))) throw notFound('server');
    const { version, node, os, policy, errors } = report;
    await writeDiagnostics(tx, {
      server_id: serverId,
      member_id: (principal.kind === 'server' && principal.memberId) || '',
      // Known fields only: additional ones are accepted in a report, and could be of any size.
      report: JSON.stringify({ version, node, os, policy, errors: errors.map(withoutSecrets) }),
      reported_at: tx.now,
    });
    return { errors: errors.length };
  }
}

const MAX_NAME = 64;

/** Repeats the redaction of the daemon, which may be an old or a modified one. */
const withoutSecrets = (error: DaemonError): DaemonError => ({
  level: error.level,
  message: redact(error.message),
  detail: error.detail && redact(error.detail),
  fields: Object.fromEntries(
    Object.entries(error.fields).map(([name, value]) => [
      // The schema bounds the number of names and the values, but not the length of a name.
      redact(name).slice(0, MAX_NAME),
      isSecretName(name) ? REMOVED : redact(value),
    ]),
  ),
  count: error.count,
  first_at: error.first_at,
  last_at: error.last_at,
});

function daemonRecord({ member_id, report, reported_at }: DiagnosticsRow): Diagnostics['daemons'][number] {
  const { errors, ...about } = JSON.parse(report) as DiagnosticsReport;
  return {
    member_id: member_id === '' ? null : member_id,
    ...about,
    errors: errors.sort((error, other) => Date.parse(other.last_at) - Date.parse(error.last_at)),
    reported_at: iso(reported_at),
  };
}
