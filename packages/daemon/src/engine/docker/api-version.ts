import { EngineProblem } from '../engine-problem.ts';
import type { Connection } from './connection.ts';
import type { Timeouts } from './timeouts.ts';

/** Newest and oldest supported API versions (1.41 is Docker 20.10). */
const newestApi = '1.47';
const oldestApi = '1.41';

interface VersionResponse {
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
  response: VersionResponse;
}

/** Negotiates the API version. The request itself has no version, which every engine accepts. */
export async function negotiate(connection: Connection, timeouts: Timeouts): Promise<Negotiated> {
  const operation = 'read the version of the engine';
  const response = await connection.json<VersionResponse>({
    operation,
    method: 'GET',
    path: '/version',
    timeout: timeouts.quick,
  });
  const refuse = (detail: string) => new EngineProblem({ operation, kind: 'unsupported', detail });
  if (!/^\d+\.\d+$/.test(response.ApiVersion ?? '')) throw refuse('it reports no API version');
  if (older(response.ApiVersion, oldestApi)) {
    throw refuse(
      `it supports API ${response.ApiVersion} at most; the oldest supported version is ${oldestApi} (Docker 20.10)`,
    );
  }
  if (response.MinAPIVersion && older(newestApi, response.MinAPIVersion)) {
    throw refuse(`it requires API ${response.MinAPIVersion} or later; the newest supported version is ${newestApi}`);
  }
  const version = older(response.ApiVersion, newestApi) ? response.ApiVersion : newestApi;
  return { prefix: `/v${version}`, response };
}

function older(a: string, b: string): boolean {
  const [majorA = 0, minorA = 0] = a.split('.').map(Number);
  const [majorB = 0, minorB = 0] = b.split('.').map(Number);
  return majorA < majorB || (majorA === majorB && minorA < minorB);
}
