import type { ActionReport } from '@hortus/contract/resources/actions';
import { maskOf } from '@hortus/template/masking/masking';
import type { Queries } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import { readRequest, secretParams } from './request.ts';
import type { ExecutionRow } from './store.ts';

export interface ReportMaskingDeps {
  readonly vault: Pick<Vault, 'decrypt'>;
  readonly instances: { definitionOf(queries: Queries, instanceId: string): Promise<string | undefined> };
  /** Reads the secret values of a definition. */
  readonly secretsOf: (queries: Queries, owner: { accountId: string; definitionId: string }) => Promise<string[]>;
}

type Texts = Pick<ActionReport, 'output' | 'error'>;

/** Masks secrets in reports of executions. Outside a transaction, because masking yields to the event loop. */
export class ReportMasking {
  readonly #deps: ReportMaskingDeps;
  constructor(deps: ReportMaskingDeps) {
    this.#deps = deps;
  }

  /** Also masks the password params of the execution. */
  async ofExecution<Report extends Texts>(queries: Queries, row: ExecutionRow, report: Report): Promise<Report> {
    if (!hasText(report)) return report;
    const { vault, instances, secretsOf } = this.#deps;
    const { account_id: accountId, instance_id } = row;
    const definitionId = instance_id === null ? undefined : await instances.definitionOf(queries, instance_id);
    const secrets = definitionId === undefined ? [] : await secretsOf(queries, { accountId, definitionId });
    return masked(report, [...secrets, ...secretParams(row, await readRequest(queries, vault, row))]);
  }

  async ofDefinition<Report extends Texts>(
    queries: Queries,
    owner: { accountId: string; definitionId: string },
    report: Report,
  ): Promise<Report> {
    return hasText(report) ? masked(report, await this.#deps.secretsOf(queries, owner)) : report;
  }
}

const hasText = ({ output, error }: Texts): boolean => Boolean(output || error);

async function masked<Report extends Texts>(report: Report, secrets: readonly string[]): Promise<Report> {
  const mask = await maskOf(secrets);
  const { output, error } = report;
  return { ...report, ...(output && { output: await mask(output) }), ...(error && { error: await mask(error) }) };
}
