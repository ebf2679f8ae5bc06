import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { guardedBy } from '@hortus/contract/runtime/guarded-by';
import type { JobKind } from '../../../jobs/job.ts';
import type { AddressGuard } from '../../../outbound/address-guard.ts';
import type { Queries, Storage } from '../../../storage/storage.ts';
import { httpsInstancesAfter } from '../../instances/public.ts';
import { type Finding, MAX_TITLE_LENGTH } from '../alerts/finding.ts';
import { activeRules } from '../rules/store.ts';
import { clean } from '../text.ts';
import type { RulesByAccount } from './rules-by-account.ts';
import { certificatesUntil, forgetCertificates, saveCertificate } from './store.ts';

export interface CertificatesDeps {
  readonly storage: Storage;
  readonly guard: AddressGuard;
  readonly timeoutMs?: number;
}

const EVERY_MS = 12 * 3_600_000;
const DAY_MS = 86_400_000;
const BATCH = 50;
const AT_ONCE = 8;
/** An address that does not answer keeps its last certificate for so long. */
const FORGET_AFTER_MS = 7 * DAY_MS;

/**
 * Reads the certificates that visitors of instances get. Daemons do not report them, and what is on a server is not
 * always what a proxy before it presents. Private addresses are read only if the operator allows them.
 */
export const certificatesJob = (deps: CertificatesDeps): JobKind => ({
  every: EVERY_MS,
  concurrency: 1,
  run: async ({ signal }) => {
    const { storage } = deps;
    const accounts = new Set(
      (await activeRules(storage.reader, ['certificate_expires'])).map((rule) => rule.accountId),
    );
    for (let after = ''; !signal.aborted; ) {
      const batch = await httpsInstancesAfter(storage.reader, after, BATCH);
      const waiting = batch.filter(({ account_id }) => accounts.has(account_id));
      const reader = async () => {
        for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift()) await read(deps, next);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, reader));
      const last = batch.at(-1);
      if (!last || batch.length < BATCH) break;
      after = last.id;
    }
    await storage.write((tx) => forgetCertificates(tx, tx.now - FORGET_AFTER_MS));
    return 'done';
  },
});

async function read(
  deps: CertificatesDeps,
  instance: Awaited<ReturnType<typeof httpsInstancesAfter>>[number],
): Promise<void> {
  const { id: instance_id, account_id, server_id, name, url } = instance;
  if (url === null || !URL.canParse(url)) return;
  const { host } = new URL(url);
  const expires_at = await expiryOf(deps, new URL(url)).catch(() => undefined);
  if (expires_at === undefined) return;
  await deps.storage.write((tx) =>
    saveCertificate(tx, { instance_id, account_id, server_id, name, host, expires_at, checked_at: tx.now }),
  );
}

/** Connects and returns when the presented certificate expires. Whether it is trusted does not matter here. */
async function expiryOf({ guard, timeoutMs = 10_000 }: CertificatesDeps, url: URL): Promise<number | undefined> {
  const host = guard.checkLiteral(url);
  return await new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port: Number(url.port || 443),
      // TLS has no server names for IP addresses.
      ...(isIP(host) === 0 && { servername: host }),
      lookup: guard.lookup,
      rejectUnauthorized: false,
      timeout: timeoutMs,
    });
    const end = guardedBy(reject, (expiry?: number) => {
      socket.destroy();
      resolve(expiry);
    });
    socket.on('error', reject);
    socket.on(
      'timeout',
      guardedBy(reject, () => end()),
    );
    socket.on(
      'secureConnect',
      guardedBy(reject, () => {
        const expiry = Date.parse(socket.getPeerCertificate().valid_to ?? '');
        end(Number.isNaN(expiry) ? undefined : expiry);
      }),
    );
  });
}

/** Finds certificates that expire soon. */
export async function expiring(queries: Queries, rules: RulesByAccount, now: number): Promise<Finding[]> {
  const days = Math.max(0, ...rules.all('certificate_expires').map(({ thresholds }) => thresholds.days ?? 0));
  if (days === 0) return [];
  return (await certificatesUntil(queries, now + days * DAY_MS)).flatMap((row) =>
    rules
      .of('certificate_expires', row.account_id)
      .filter(({ thresholds }) => row.expires_at < now + (thresholds.days ?? 0) * DAY_MS)
      .map((rule) => ({
        ruleId: rule.id,
        accountId: rule.accountId,
        kind: rule.kind,
        subject: row.instance_id,
        since: null,
        holdMs: 0,
        title: clean(
          `The certificate of ${row.host} ${row.expires_at < now ? 'has expired' : 'expires soon'}`,
          MAX_TITLE_LENGTH,
        ),
        text: clean(
          `It is valid until ${new Date(row.expires_at).toISOString()}; instance ${row.name}.`,
          MAX_TITLE_LENGTH,
        ),
        fix: `hortus instances show ${row.instance_id}`,
        resourceType: 'instance' as const,
        resourceId: row.instance_id,
        serverId: row.server_id,
      })),
  );
}
