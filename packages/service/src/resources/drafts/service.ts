import type { Draft, DraftImport, ImportedDraft } from '@hortus/contract/resources/drafts';
import { importCompose } from '@hortus/template/compose/import';
import type { Finding } from '@hortus/template/finding';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { newId } from '../../ids.ts';
import { append } from '../../outbox/append.ts';
import { conflict, notFound, Problem } from '../../problem.ts';
import type { RequireRoom } from '../../quotas/quotas.ts';
import { begin, transition } from '../../state/transition.ts';
import { RunAgain, type Tx } from '../../storage/storage.ts';
import { CATALOG_TOPIC, templateItem } from '../templates/catalog.ts';
import { templateLifecycle } from '../templates/lifecycle.ts';
import { followPublication } from '../templates/publish.ts';
import { lockTemplate, lockVersion, setDeprecated, type TemplateRow } from './store.ts';
import { requireRest } from './tests.ts';
import { columnsOf, findingsOf, isClean, newColumns, readSource, type Written } from './written.ts';

/** Warnings about a draft that keep it from being published: the same template would mean another image tomorrow. */
const PROMOTION_ERRORS = new Set(['floating-tag']);

export interface Imported {
  readonly written: Written;
  readonly source: string;
  readonly inferred: ImportedDraft['inferred'];
  readonly dropped: ImportedDraft['dropped'];
}

/** Templates of an account's own, on their way to being published for it. */
export class Drafts {
  readonly #requireTested: (tx: Tx, row: TemplateRow) => Promise<void>;
  readonly #requireRoom: RequireRoom;
  /** `requireTested` throws for a template that was not tried where it must be. */
  constructor(requireTested: (tx: Tx, row: TemplateRow) => Promise<void>, requireRoom: RequireRoom) {
    this.#requireTested = requireTested;
    this.#requireRoom = requireRoom;
  }

  /** Reads a Compose file; all that can be done before a transaction begins. */
  import({ compose, name, slug }: DraftImport): Imported {
    const { text, findings, inferred, dropped } = importCompose(compose, {
      ...(name === undefined ? {} : { name }),
      ...(slug === undefined ? {} : { slug }),
    });
    const mistakes = findings.filter(({ file, severity }) => file === undefined && severity === 'error');
    if (text === undefined || mistakes.length > 0) {
      const [first] = mistakes;
      throw new Problem(
        'VALIDATION_ERROR',
        `compose: line ${first?.line ?? 1}: ${first?.message ?? 'is no Compose file'}`,
        {
          reason: 'invalid',
          field: 'compose',
          findings: mistakes,
        },
      );
    }
    return { written: readSource(text), source: text, inferred, dropped };
  }

  /** A new one gets this id. */
  async create(tx: Tx, principal: Principal, written: Written, id = newId('template')): Promise<Draft> {
    const { accountId: owner } = principal;
    const { slug: species, version } = written.spec;
    const known = await lockVersion(tx, owner, species, version);
    const row = known
      ? await this.#replace(tx, principal, known, written)
      : await this.#begin(tx, principal, written, id);
    await this.#record(tx, principal, row, known ? 'audit.template_changed' : 'audit.template_created');
    return { ...draftOf(row, written.findings), replaced: known !== undefined };
  }

  async validate(tx: Tx, principal: Principal, id: string): Promise<Draft> {
    const row = await this.#lock(tx, principal, id);
    const findings = findingsOf(row);
    if (row.status === 'published' || !isClean(findings)) return draftOf(row, findings);
    const passed = { ...row, validated_hash: row.spec_hash };
    const set = { validated_hash: row.spec_hash };
    const changed = await transition(tx, templateLifecycle, passed, 'validate', { actor: actorOf(principal), set });
    await this.#record(tx, principal, changed, 'audit.template_validated');
    return draftOf(changed, findings);
  }

  async promote(tx: Tx, principal: Principal, id: string): Promise<Draft> {
    const row = await this.#lock(tx, principal, id);
    const findings = findingsOf(row);
    const hindrances = findings.filter(({ code }) => PROMOTION_ERRORS.has(code));
    if (row.status === 'validated' && hindrances.length > 0) {
      const [first] = hindrances;
      throw new Problem('VALIDATION_ERROR', `${first?.path}: ${first?.message}; a published template cannot do that`, {
        reason: 'unpublishable',
        field: first?.path,
        findings: hindrances,
      });
    }
    if (row.status === 'validated') await this.#requireTested(tx, row);
    const changed = await transition(tx, templateLifecycle, row, 'promote', { actor: actorOf(principal) });
    await this.#record(tx, principal, changed, 'audit.template_published');
    await followPublication(tx, changed);
    return draftOf(changed, findings);
  }

  async deprecate(tx: Tx, principal: Principal, id: string): Promise<Draft> {
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
    return draftOf({ ...row, deprecated: 1 }, findingsOf(row));
  }

  async #begin(tx: Tx, principal: Principal, written: Written, id: string): Promise<TemplateRow> {
    const { accountId: owner } = principal;
    await this.#requireRoom(tx, principal, 'templates');
    const row = newColumns(owner, written, id, tx.now);
    // Another request that came at this moment was quicker: its draft is the one to replace.
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
    const set = { ...columnsOf(written), validated_hash: null };
    return transition(tx, templateLifecycle, row, 'edit', { actor: actorOf(principal), set });
  }

  async #lock(tx: Tx, { accountId }: Principal, id: string): Promise<TemplateRow> {
    const row = await lockTemplate(tx, accountId, id);
    if (!row) throw notFound('template');
    return row;
  }

  /** Told to whoever audits, and to every process that keeps the templates in memory. */
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

const draftOf = (row: TemplateRow, findings: readonly Finding[]): Draft => ({
  ...templateItem(row),
  valid: isClean(findings),
  findings: findings.map(({ severity, code, path, line, column, message, suggestion }) => ({
    severity,
    code,
    path,
    line,
    column,
    message,
    ...(suggestion === undefined ? {} : { suggestion }),
  })),
});
