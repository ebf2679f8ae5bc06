import type {
  FollowedGarden,
  GardenFollow,
  GardenSourceUpdate,
  UpdatedGarden,
} from '@hortus/contract/resources/garden-sources';
import type { Garden } from '@hortus/contract/resources/gardens';
import { trimmed } from '@hortus/contract/runtime/trimmed';
import { GARDEN_NAME } from '@hortus/garden/format';
import { actorOf, type Principal } from '../../../identity/principal.ts';
import type { AddressGuard } from '../../../outbound/address-guard.ts';
import { checkUrl } from '../../../outbound/check-url.ts';
import { requireSecretsAgain } from '../../../outbound/secrets-again.ts';
import { append } from '../../../outbox/append.ts';
import { conflict, invalid, notFound } from '../../../problem.ts';
import { newId } from '../../../records/ids.ts';
import type { Tx } from '../../../storage/storage.ts';
import type { Vault } from '../../../vault/vault.ts';
import { providerOf, repositoryPath } from '../forges/provider.ts';
import { checkPath } from '../git/read-repository.ts';
import type { Gardens } from '../service.ts';
import { findGarden, holdGarden } from '../store.ts';
import { SPACING_MS } from './checking.ts';
import { moveCommit, wakeFollowing } from './moving.ts';
import { webhookUrl } from './record.ts';
import { newSecret, seal } from './secrets.ts';
import { countSources, insertSource, lockSource, openCommits, type SourceRow, updateSource } from './store.ts';

export interface SourcesDeps {
  readonly vault: Pick<Vault, 'encrypt'>;
  readonly guard: AddressGuard;
  readonly gardens: Gardens;
  readonly publicUrl: string;
  /** Whether a token may be sent without TLS: only where private addresses are allowed. */
  readonly plainTokens: boolean;
}

const MAX_SOURCES = 100;

/** Manages the repositories that gardens are followed in. */
export class GardenSources {
  readonly #deps: SourcesDeps;
  constructor(deps: SourcesDeps) {
    this.#deps = deps;
  }

  /** Checks an address and a path; before the transaction, because it resolves the name of the host. */
  async check({ url, path, branch }: { url?: string; path?: string; branch?: string }): Promise<void> {
    if (url !== undefined) {
      await checkUrl(this.#deps.guard, url);
      const { search, hash } = new URL(url);
      if (search !== '' || hash !== '') throw invalid('url', 'must not contain a query or a fragment.');
      if (!URL.canParse(url) || repositoryPathOf(url) === '') throw invalid('url', 'must name a repository.');
    }
    if (path !== undefined) checkPath(path);
    if (branch !== undefined && /^[-/]|\.\.|\/\/|[/.]$|\.lock$|@\{/.test(branch))
      throw invalid('branch', 'is no valid name of a branch.');
  }

  async follow(tx: Tx, principal: Principal, body: GardenFollow): Promise<FollowedGarden> {
    const { vault, gardens, publicUrl } = this.#deps;
    const { accountId } = principal;
    const { url, credentials } = body;
    const name = body.name ?? nameFrom(url);
    this.#requireTls(url, credentials);
    if ((await countSources(tx, accountId)) >= MAX_SOURCES)
      throw conflict('url', 'limit', `an account follows at most ${MAX_SOURCES} repositories; forget one first.`);
    const times = { created_at: tx.now, updated_at: tx.now };
    const garden = await holdGarden(tx, { id: newId('garden'), account_id: accountId, name, ...times });
    const place = { garden_id: garden.id, account_id: accountId };
    const secret = newSecret();
    const row: SourceRow = {
      ...place,
      ...{ url, branch: body.branch ?? 'main', path: body.path ?? 'garden.yaml', mode: body.mode },
      ...{ prune: body.prune ? 1 : 0, interval_seconds: body.interval ?? 300 },
      provider: body.provider ?? providerOf(url),
      username: credentials?.username ?? null,
      token: credentials ? await seal(vault, tx, place, 'token', credentials.token) : null,
      secret: await seal(vault, tx, place, 'secret', secret),
      followed_by: actorOf(principal),
      ...{ requests: 1, served: 0, again_for: 0, checked_at: null, next_check_at: null, failures: 0, error: null },
      ...times,
    };
    if (!(await insertSource(tx, row)))
      throw conflict('name', 'taken', `the garden ${name} is followed already; change its source, or forget it.`, {
        garden_id: garden.id,
      });
    await wakeFollowing(tx, garden.id);
    await this.#audit(tx, principal, 'audit.garden_followed', row);
    const record = await gardens.read(principal, garden.id, tx);
    return { ...record, webhook: { url: webhookUrl(publicUrl, garden.id), secret } };
  }

  async update(tx: Tx, principal: Principal, id: string, body: GardenSourceUpdate): Promise<UpdatedGarden> {
    const { vault, gardens, publicUrl } = this.#deps;
    const row = await this.#held(tx, principal, id);
    const { url = row.url, branch = row.branch, path = row.path, mode = row.mode, credentials } = body;
    // A stored token goes only to the repository that it was given for.
    requireSecretsAgain(
      {
        changed: url === row.url ? [] : ['url'],
        stored: row.token === null ? [] : ['credentials'],
        input: Object.keys(body),
      },
      { hint: '; null follows it without credentials' },
    );
    this.#requireTls(url, credentials === undefined ? row.token : credentials);
    const prune = body.prune === undefined ? row.prune : body.prune ? 1 : 0;
    const reads = url !== row.url || branch !== row.branch || path !== row.path || prune !== row.prune;
    const secret = body.rotate_secret ? newSecret() : undefined;
    const requests = Number(row.requests) + 1;
    const changed: SourceRow = {
      ...row,
      ...{ url, branch, path, mode, prune },
      interval_seconds: body.interval ?? row.interval_seconds,
      provider: body.provider ?? (url === row.url ? row.provider : providerOf(url)),
      ...(credentials !== undefined && {
        username: credentials?.username ?? null,
        token: credentials === null ? null : await seal(vault, tx, row, 'token', credentials.token),
      }),
      ...(secret !== undefined && { secret: await seal(vault, tx, row, 'secret', secret) }),
      // A caller must not use the rights of another one.
      followed_by: actorOf(principal),
      requests,
      ...(reads && { again_for: requests }),
      failures: 0,
      // Strictly later, because a check recognizes a changed source by it.
      updated_at: Math.max(tx.now, row.updated_at + 1),
    };
    await updateSource(tx, id, changed);
    if (reads) await this.#supersedeAll(tx, changed);
    await wakeFollowing(tx, id, this.#soon(tx, row));
    await this.#audit(tx, principal, 'audit.garden_source_updated', changed);
    const record = await gardens.read(principal, id, tx);
    return { ...record, ...(secret !== undefined && { webhook: { url: webhookUrl(publicUrl, id), secret } }) };
  }

  /** Has the repository read soon. */
  async sync(tx: Tx, principal: Principal, id: string, again: boolean): Promise<Garden> {
    const row = await this.#held(tx, principal, id);
    await this.request(tx, row, again);
    return await this.#deps.gardens.read(principal, id, tx);
  }

  async request(tx: Tx, row: SourceRow, again = false): Promise<void> {
    const requests = Number(row.requests) + 1;
    await updateSource(tx, row.garden_id, { requests, ...(again && { again_for: requests }) });
    await wakeFollowing(tx, row.garden_id, this.#soon(tx, row));
  }

  /** What was read from another place is not applied any more. */
  async #supersedeAll(tx: Tx, source: SourceRow): Promise<void> {
    const set = { reason: 'superseded', error: 'The source was changed.' };
    for (const commit of await openCommits(tx, source.garden_id))
      await moveCommit(tx, source, commit, 'supersede', { actor: source.followed_by, set });
  }

  #soon = (tx: Tx, { checked_at }: SourceRow): number => Math.max(tx.now, (checked_at ?? 0) + SPACING_MS);

  async #held(tx: Tx, { accountId }: Principal, id: string): Promise<SourceRow> {
    if (!(await findGarden(tx, accountId, id))) throw notFound('garden');
    const row = await lockSource(tx, id);
    if (!row)
      throw conflict(
        'id',
        'not_followed',
        'this garden is not followed in a repository; follow it with POST /gardens.',
      );
    return row;
  }

  #requireTls(url: string, credentials: unknown): void {
    if (credentials !== undefined && credentials !== null && !this.#deps.plainTokens && /^http:/i.test(url))
      throw invalid('url', 'must begin with https, so that the token is not sent in plain text.');
  }

  #audit = (tx: Tx, principal: Principal, type: `audit.${string}`, { garden_id, url, branch, path, mode }: SourceRow) =>
    append(tx, {
      type,
      accountId: principal.accountId,
      resourceType: 'garden',
      resourceId: garden_id,
      actor: actorOf(principal),
      data: { garden_id, url, branch, path, mode },
    });
}

function nameFrom(url: string): string {
  const last = repositoryPathOf(url).split('/').at(-1) ?? '';
  const name = trimmed(last.toLowerCase().replace(/[^a-z0-9]+/g, '-'), '-').slice(0, 63);
  if (!new RegExp(GARDEN_NAME).test(name)) throw invalid('name', 'is required, because the address contains none.');
  return name;
}

function repositoryPathOf(url: string): string {
  try {
    return repositoryPath(url);
  } catch {
    throw invalid('url', 'must be a valid URL.');
  }
}
