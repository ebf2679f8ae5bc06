import type { Forge, GardenCommit } from '@hortus/contract/resources/garden-source-records';
import { repositoryPath } from './provider.ts';

type Status = GardenCommit['status'];

/** What a forge is told about a commit. */
export interface CommitReport {
  readonly provider: Forge;
  readonly url: string;
  readonly token: string;
  readonly sha: string;
  readonly branch: string;
  readonly status: Status;
  readonly garden: string;
  readonly text: string;
  /** Page of the garden in the console. */
  readonly page: string;
}

export interface StatusRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type State = 'pending' | 'running' | 'success' | 'failure' | 'cancelled';

const states: Readonly<Record<Status, State>> = {
  found: 'pending',
  planned: 'pending',
  waiting: 'pending',
  approved: 'running',
  applying: 'running',
  applied: 'success',
  failed: 'failure',
  broken: 'failure',
  rejected: 'failure',
  superseded: 'cancelled',
};

/** Only GitLab knows running and cancelled commits. */
const plain: Readonly<Record<State, string>> = {
  pending: 'pending',
  running: 'pending',
  success: 'success',
  failure: 'failure',
  cancelled: 'failure',
};
const ofGitlab: Readonly<Record<State, string>> = {
  pending: 'pending',
  running: 'running',
  success: 'success',
  failure: 'failed',
  cancelled: 'canceled',
};

/** The shortest limit of the forges, that of GitHub. */
const MAX_TEXT_LENGTH = 140;

/** Builds the request that sets the status of a commit at its forge. */
export function statusRequest(report: CommitReport): StatusRequest {
  const { provider, token, sha, branch, garden, page } = report;
  const state = states[report.status];
  const description = oneLine(report.text);
  const context = `hortus/${garden}`;
  const json = { 'Content-Type': 'application/json', 'User-Agent': 'hortus' };
  if (provider === 'gitlab') {
    const project = encodeURIComponent(repositoryPath(report.url));
    return {
      url: `${apiOf(report)}/projects/${project}/statuses/${sha}`,
      headers: { ...json, 'PRIVATE-TOKEN': token },
      body: JSON.stringify({ state: ofGitlab[state], name: context, ref: branch, description, target_url: page }),
    };
  }
  const path = repositoryPath(report.url).split('/').map(encodeURIComponent).join('/');
  return {
    url: `${apiOf(report)}/repos/${path}/statuses/${sha}`,
    headers: {
      ...json,
      ...(provider === 'github'
        ? { Authorization: `Bearer ${token}`, Accept: 'application/vnd.github+json' }
        : { Authorization: `token ${token}` }),
    },
    body: JSON.stringify({ state: plain[state], context, description, target_url: page }),
  };
}

function apiOf({ provider, url }: Pick<CommitReport, 'provider' | 'url'>): string {
  const { origin, host } = new URL(url);
  if (provider === 'gitlab') return `${origin}/api/v4`;
  if (provider !== 'github') return `${origin}/api/v1`;
  return host === 'github.com' ? 'https://api.github.com' : `${origin}/api/v3`;
}

/** GitLab refuses a status that the commit already has. */
export const isAccepted = (provider: Forge, status: number): boolean =>
  (status >= 200 && status < 300) || (provider === 'gitlab' && status === 400);

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_TEXT_LENGTH ? `${line.slice(0, MAX_TEXT_LENGTH - 1).toWellFormed()}…` : line;
}
