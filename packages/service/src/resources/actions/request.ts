import type { ManifestAction } from '@hortus/contract/template/manifest';
import { checkParams, fillArguments, fillParams } from '@hortus/template/inputs/action-params';
import { pointerStep } from '@hortus/template/schema/json-pointer';
import { invalid, Problem } from '../../problem.ts';
import type { Queries } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import { workerJob } from '../../workers/job.ts';
import type { ExecutionRow } from './store.ts';

/** Order for a daemon. May contain secrets, so it is stored encrypted. */
export interface Request {
  readonly type: ManifestAction['type'] | 'builtin';
  readonly command: readonly string[];
  readonly params: Readonly<Record<string, unknown>>;
  /** Environment of a template's action; missing in orders from before it was sent. */
  readonly env?: Readonly<Record<string, string>>;
  /** Name of the instance, by which a daemon with manifests finds everything else. */
  readonly instance: string;
  /** Container of the action, for a daemon without manifests. */
  readonly container: string;
  /** Component of a template's action. */
  readonly component?: string;
  /** Trace of the order, if it was traced. */
  readonly traceParent?: string;
}

export const readRequest = async (
  queries: Queries,
  vault: Pick<Vault, 'decrypt'>,
  row: Pick<ExecutionRow, 'id' | 'account_id' | 'request'>,
): Promise<Request> => JSON.parse(await vault.decrypt(queries, row.account_id, row.request, requestContext(row.id)));

/** Binds a request to its execution: moved to another, it does not decrypt. */
export const requestContext = (executionId: string): string => `execution/${executionId}`;

export interface CheckedParams {
  readonly command: string[];
  readonly params: Record<string, unknown>;
  readonly env: Record<string, string>;
  /** Params that may be stored and shown in plain text. */
  readonly shown: Record<string, unknown>;
}

/** Maximum length of the command and the environment together. Linux hands at most 2 MB of both to a program. */
const MAX_FILLED = 1_048_576;

/** Validates the params against their declaration and substitutes them into the command. */
export function fillAction(action: ManifestAction, input: Readonly<Record<string, unknown>>): CheckedParams {
  const declared = action.params as Parameters<typeof checkParams>[0];
  const checked = checkParams(declared, input);
  if (!checked.ok) {
    const [first] = checked.problems;
    if (!first) throw invalid('params', 'are not valid.');
    const problems = checked.problems;
    throw new Problem('VALIDATION_ERROR', `${first.field}: ${first.message}`, {
      reason: 'invalid',
      field: first.field,
      problems,
    });
  }
  const secret = new Set(declared.filter(({ type }) => type === 'password').map(({ name }) => name));
  const shown = Object.fromEntries(Object.entries(checked.values).filter(([name]) => !secret.has(name)));
  const env = Object.fromEntries(
    Object.entries(action.env).map(([name, text]) => [name, fillParams(text, checked.values)]),
  );
  const command = fillArguments(action.command ?? [], checked.values);
  const length = [...command, ...Object.values(env)].reduce((total, text) => total + text.length, 0);
  if (length > MAX_FILLED)
    throw invalid(
      'params',
      `fill the command and its environment with ${length} characters; at most ${MAX_FILLED} are allowed.`,
    );
  return { command, params: checked.values, env, shown };
}

/** Whether substitution is slow because of patterns or bcrypt hashes chosen by the template author. */
export const isCostly = ({ params, command = [], env }: ManifestAction): boolean =>
  params.some(({ pattern }) => pattern !== undefined) ||
  [...command, ...Object.values(env)].some((text) => text.includes('bcrypt'));

/** Lists the values of the password params of a request. */
export function secretParams(row: Pick<ExecutionRow, 'params'>, request: Request): string[] {
  const shown = JSON.parse(row.params) as Record<string, unknown>;
  return Object.entries(request.params).flatMap(([name, value]) =>
    !Object.hasOwn(shown, name) && typeof value === 'string' ? [value] : [],
  );
}

/**
 * JSON pointers to the texts of the message that may contain secrets: params that are not shown, and the arguments and
 * environment of template actions, which may contain such params or secrets of the definition.
 */
export function secretTexts(
  row: Pick<ExecutionRow, 'params'>,
  request: Request,
  { journal }: Pick<Knowledge, 'journal'>,
): string[] {
  const shown = JSON.parse(row.params) as Record<string, unknown>;
  const params = Object.keys(request.params).filter((name) => !Object.hasOwn(shown, name));
  const inArguments = request.type === 'builtin' ? [] : request.command;
  return [
    ...params.map((name) => `/params/${pointerStep(name)}`),
    ...inArguments.map((_, index) => `/action/command/${index}`),
    ...Object.keys(sentEnv(request, journal)).map((name) => `/action/env/${pointerStep(name)}`),
  ];
}

/** A daemon with manifests takes the environment from there: its journal need not contain it a second time. */
const sentEnv = ({ env = {} }: Request, journal: boolean): Readonly<Record<string, string>> => (journal ? {} : env);

export interface Knowledge {
  /** The daemon keeps manifests and finds the component and the environment of an action there. */
  readonly journal: boolean;
  /** For a daemon that understands traces. */
  readonly traceParent?: string | undefined;
}

export const actionRequest = (row: ExecutionRow, request: Request, { journal, traceParent }: Knowledge) => ({
  type: 'action_request' as const,
  execution_id: row.id,
  instance_id: row.instance_id ?? '',
  container_name: journal ? request.instance : request.container,
  action: {
    slug: row.slug,
    type: request.type,
    command: [...request.command],
    timeout: `${Math.ceil(row.timeout_ms / 1000)}s`,
    ...(!journal && request.type !== 'builtin' && { env: { ...sentEnv(request, journal) } }),
  },
  params: { ...request.params },
  ...(traceParent !== undefined && { traceparent: traceParent }),
});

export const FILL_ACTION = workerJob('action.fill', fillAction);
