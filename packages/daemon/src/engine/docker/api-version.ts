import { EngineProblem } from '../engine-problem.ts';
import type { Connection } from './connection.ts';
import type { Timeouts } from './timeouts.ts';

/** Newest and oldest supported API versions (1.41 is Docker 20.10). */
export const newestApi = '1.47';
export const oldestApi = '1.41';

export interface VersionAnswer {
  Version: string;
  ApiVersion: string;
  MinAPIVersion?: string;
  Os: string;
  Arch: string;
  Components?: { Name: string }[];
}

export interface Negotiated {
  /** Prefix of every path: `/v1.41`. */
  prefix: string;
  answer: VersionAnswer;
}

/** Negotiates the API version. The request itself has no version, which every engine accepts. */
export async function negotiate(connection: Connection, timeouts: Timeouts): Promise<Negotiated> {
  const operation = 'read the version of the engine';
  const answer = await connection.json<VersionAnswer>({
    operation,
    method: 'GET',
    path: '/version',
    timeout: timeouts.quick,
  });
  const refuse = (detail: string) => new EngineProblem({ operation, kind: 'unsupported', detail });
  if (!/^\d+\.\d+$/.test(answer.ApiVersion ?? '')) throw refuse('it reports no API version');
  if (older(answer.ApiVersion, oldestApi)) {
    throw refuse(
      `it supports API ${answer.ApiVersion} at most; the oldest supported version is ${oldestApi} (Docker 20.10)`,
    );
  }
  if (answer.MinAPIVersion && older(newestApi, answer.MinAPIVersion)) {
    throw refuse(`it requires API ${answer.MinAPIVersion} or later; the newest supported version is ${newestApi}`);
  }
  const version = older(answer.ApiVersion, newestApi) ? answer.ApiVersion : newestApi;
  return { prefix: `/v${version}`, answer };
}

function older(a: string, b: string): boolean {
  const [majorA = 0, minorA = 0] = a.split('.').map(Number);
  const [majorB = 0, minorB = 0] = b.split('.').map(Number);
  return majorA < majorB || (majorA === majorB && minorA < minorB);
}
