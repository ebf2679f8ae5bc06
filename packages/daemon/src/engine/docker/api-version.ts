import { EngineProblem } from '../engine-problem.ts';
import type { Connection } from './connection.ts';
import type { Timeouts } from './timeouts.ts';

/** The newest API this driver was written for, and the oldest it works with (Docker 20.10). */
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
  /** In front of every path: `/v1.41`. */
  prefix: string;
  answer: VersionAnswer;
}

/** The version both sides speak. The question itself goes without one, which every engine answers. */
export async function negotiate(connection: Connection, timeouts: Timeouts): Promise<Negotiated> {
  const operation = 'ask the engine for its version';
  const answer = await connection.json<VersionAnswer>({
    operation,
    method: 'GET',
    path: '/version',
    timeout: timeouts.quick,
  });
  const refuse = (detail: string) => new EngineProblem({ operation, kind: 'unsupported', detail });
  if (!/^\d+\.\d+$/.test(answer.ApiVersion ?? '')) throw refuse('it names no API version');
  if (older(answer.ApiVersion, oldestApi)) {
    throw refuse(`it speaks API ${answer.ApiVersion}, and ${oldestApi} (Docker 20.10) is the oldest supported`);
  }
  if (answer.MinAPIVersion && older(newestApi, answer.MinAPIVersion)) {
    throw refuse(`it wants API ${answer.MinAPIVersion} at least, and ${newestApi} is the newest supported`);
  }
  const version = older(answer.ApiVersion, newestApi) ? answer.ApiVersion : newestApi;
  return { prefix: `/v${version}`, answer };
}

function older(a: string, b: string): boolean {
  const [majorA = 0, minorA = 0] = a.split('.').map(Number);
  const [majorB = 0, minorB = 0] = b.split('.').map(Number);
  return majorA < majorB || (majorA === majorB && minorA < minorB);
}
