import type { Client } from '@hortus/client/client';
import { errorTable } from '@hortus/contract/errors';

/** The calls that tools make: the typed client of the CLI, or the service itself without a network between. */
export type Service = Pick<Client, 'call'>;

interface Problem extends Error {
  readonly code: string;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** Codes of the client for a service that cannot be reached. */
const unreachable = ['NETWORK', 'BAD_ANSWER'];

/** Tells whether an error is an answer of the service, whose message is for callers. */
export const isProblem = (error: unknown): error is Problem =>
  error instanceof Error &&
  'code' in error &&
  (Object.hasOwn(errorTable, String(error.code)) || unreachable.includes(String(error.code)));
