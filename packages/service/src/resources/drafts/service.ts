import type { Draft, DraftDetail } from '@hortus/contract/resources/drafts';
import type { Finding } from '@hortus/template/source/finding';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { append } from '../../outbox/append.ts';
import { Behind, conflict, notFound, Problem } from '../../problem.ts';
import type { RequireRoom } from '../../quotas/quotas.ts';
import { newId } from '../../records/ids.ts';
import { iso } from '../../records/time.ts';
import { begin, transition } from '../../state/transition.ts';
import { type Queries, RunAgain, type Tx } from '../../storage/storage.ts';
import { CachedResults } from '../../workers/cached-results.ts';
import type { Work } from '../../workers/job.ts';
import { CATALOG_TOPIC, followPublication, templateItem, templateLifecycle } from '../templates/public.ts';
import { findTemplate, lockTemplate, lockVersion, setDeprecated, type TemplateRow } from './store.ts';
import { requireRest } from './tests.ts';
import { FIND_PROBLEMS, isClean, newColumns, type textOf, WRITE_DRAFT, type Written } from './written.ts';

/** Warnings that prevent publishing: with a floating tag the same template could mean another image tomorrow. */
const PROMOTION_ERRORS = new Set(['floating-tag']);

/** Findings of the validator, computed before a transaction begins because it is slow. */
export interface Examined {
  /** Hash of the examined template. */
  readonly specHash: string;
  readonly findings: readonly Finding[];
}

export interface DraftsDeps {
  readonly reader: Queries;
  readonly work: Work;
  /** Throws if the template requires a deploy test and has not passed one. */
  readonly requireTested: (tx: Tx, row: TemplateRow) => Promise<void>;
  readonly requireRoom: RequireRoom;
}

/** Creates, validates, publishes and deprecates the templates of an account. */
export class Drafts {
  readonly #deps: DraftsDeps;
  /** Validation depends on nothing but the template, and takes a worker thread milliseconds. */
  readonly #texts = new CachedResults<ReturnType<typeof textOf>>();
  constructor(deps: DraftsDeps) {
    this.#deps = deps;
  }

  /** Runs the validator for `validate`, `promote` and `deprecate`. */
  async examine(principal: Principal, id: string): Promise<Examined> {
    const { reader, work } = this.#deps;
    const { accountId } = principal;
    const row = await findTemplate(reader, accountId, id);
    if (!row) throw notFound('template');
    const { source, spec, spec_hash: specHash } = row;
    const findings = await work.run(FIND_PROBLEMS, { account: accountId, field: 'id' }, { source, spec });
    return { specHash, findings };
  }

  /** Reads a template with its text. */
  async read(principal: Principal, id: string): Promise<DraftDetail> {
    const row = await findTemplate(this.#deps.reader, principal.accountId, id);
    if (!row) throw notFound('template');
    const { source, findings } = await this.#textOf(row);
    return { ...draftOf(row, findings), source, updated_at: iso(row.updated_at) };
  }

  async #textOf({ owner, source, spec }: TemplateRow): Promise<ReturnType<typeof textOf>> {
    const key = source === null ? `spec ${spec}` : `source ${source}`;
    const known = this.#texts.get(key);
    if (known) return known;
    const text = await this.#deps.work.run(WRITE_DRAFT, { account: owner, field: 'id' }, { source, spec });
    this.#texts.keep(key, text);
    return text;
  }

  /** `id` is used if the template is new. */
  async create(tx: Tx, principal: Principal, written: Written, id = newId('template')): Promise<Draft> {
    const { accountId: owner } = principal;
    const { species, version } = written;
    const known = await lockVersion(tx, owner, species, version);
    const row = known
      ? await this.#replace(tx, principal, known, written)
      : await this.#begin(tx, principal, written, id);
    await this.#record(tx, principal, row, known ? 'audit.template_changed' : 'audit.template_created');
    return { ...draftOf(row, written.findings), replaced: known !== undefined };
  }

  async validate(tx: Tx, principal: Principal, id: string, examined: Examined): Promise<Draft> {
    const row = await this.#lock(tx, principal, id);
    const findings = current(row, examined);
    if (row.status === 'published' || !isClean(findings)) return draftOf(row, findings);
    const passed = { ...row, validated_hash: row.spec_hash };
    const set = { validated_hash: row.spec_hash };
    const changed = await transition(tx, templateLifecycle, passed, 'validate', { actor: actorOf(principal), set });
    await this.#record(tx, principal, changed, 'audit.template_validated');
    return draftOf(changed, findings);
  }

  async promote(tx: Tx, principal: Principal, id: string, examined: Examined): Promise<Draft> {
    const row = await this.#lock(tx, principal, id);
    const findings = current(row, examined);
    const hindrances = findings.filter(({ code }) => PROMOTION_ERRORS.has(code));
    if (row.status === 'validated' && hindrances.length > 0) {
      const [first] = hindrances;
      throw new Problem('VALIDATION_ERROR', `${first?.path}: ${first?.message}; fix it before publishing`, {
        reason: 'unpublishable',
        field: first?.path,
        findings: hindrances,
      });
    }
    if (row.status === 'validated') await this.#deps.requireTested(tx, row);
    const changed = await transition(tx, templateLifecycle, row, 'promote', { actor: actorOf(principal) });
    await this.#record(tx, principal, changed, 'audit.template_published');
    await followPublication(tx, changed);
    return draftOf(changed, findings);
  }

  async deprecate(tx: Tx, principal: Principal, id: string, examined: Examined): Promise<Draft> {
    const row = await this.#lock(tx, principal, id);
    if (row.status !== 'published') {
      throw conflict('status', 'state', `a template that is ${row.status} cannot be deprecated.`, {
        status: row.status,
      });
    }
    if (row.deprecated === 0) {
      await setDeprecated(tx, id);
      await this.#record(tx, principal, row, 'audit.template_deprecated');
    }
    return draftOf({ ...row, deprecated: 1 }, current(row, examined));
  }

  async #begin(tx: Tx, principal: Principal, written: Written, id: string): Promise<TemplateRow> {
    const { accountId: owner } = principal;
    await this.#deps.requireRoom(tx, principal, 'templates');
    const row = newColumns(owner, written, id, tx.now);
    // A concurrent request created the draft first: run again and replace it.
    return begin(tx, templateLifecycle, row, 'create', actorOf(principal), () => new RunAgain());
  }

  async #replace(tx: Tx, principal: Principal, row: TemplateRow, written: Written): Promise<TemplateRow> {
    if (row.status === 'published') {
      throw conflict(
        'version',
        'taken',
        `${row.species} ${row.version} is published and never changes; raise the version.`,
      );
    }
    await requireRest(tx, row.id);
    const set = { ...written.columns, validated_hash: null };
    return transition(tx, templateLifecycle, row, 'edit', { actor: actorOf(principal), set });
  }

  async #lock(tx: Tx, { accountId }: Principal, id: string): Promise<TemplateRow> {
    const row = await lockTemplate(tx, accountId, id);
    if (!row) throw notFound('template');
    return row;
  }

  /** Appends to the audit list and notifies every process that caches templates. */
  async #record(tx: Tx, principal: Principal, row: TemplateRow, type: `audit.${string}`): Promise<void> {
    await append(tx, {
      type,
      accountId: principal.accountId,
      resourceType: 'template',
      resourceId: row.id,
      actor: actorOf(principal),
      data: { species: row.species, version: row.version, spec_hash: row.spec_hash },
    });
    tx.notify(CATALOG_TOPIC);
  }
}

/** If the template was edited since it was examined, the request runs again. */
function current(row: TemplateRow, { specHash, findings }: Examined): readonly Finding[] {
  if (row.spec_hash === specHash) return findings;
  throw new Behind(`Template ${row.id} was edited while it was examined.`, async () => {});
}

const draftOf = (row: TemplateRow, findings: readonly Finding[]): Draft => ({
  ...templateItem(row),
  valid: isClean(findings),
  findings: findings.map(findingRecord),
});

/** Leaves out what only the tools of the catalog need. */
export const findingRecord = ({ severity, code, path, line, column, message, suggestion }: Finding) => ({
  ...{ severity, code, path, line, column, message },
  ...(suggestion === undefined ? {} : { suggestion }),
});
