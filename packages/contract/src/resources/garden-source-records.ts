import Type, { type Static } from 'typebox';
import { Timestamp } from '../envelope.ts';
import { gardenCommitMachine } from '../machines/garden-commit.ts';
import { choice, id, nullable } from '../records/fields.ts';
import { GardenCounts, GardenPlan, GardenProblem, planHash } from './garden-records.ts';

export const gardenModes = ['propose', 'apply'] as const;
export type GardenMode = (typeof gardenModes)[number];

export const forges = ['github', 'gitlab', 'gitea', 'forgejo'] as const;
export type Forge = (typeof forges)[number];

export const GardenCommit = Type.Object(
  {
    id: id('gardenCommit'),
    garden_id: id('garden'),
    sha: Type.String({ description: 'Object id of the commit, in lower-case hex.' }),
    subject: Type.String({ description: 'First line of the message, at most 200 characters. Untrusted text.' }),
    author: Type.String({ description: 'Name of the author, as the commit says. Untrusted text.' }),
    committed_at: nullable(Timestamp, { description: 'As the commit says.' }),
    status: choice(gardenCommitMachine.states, {
      description:
        'waiting: for an approval. broken: its files cannot be planned, and what was applied before stays as it is. superseded: a newer commit came first.',
    }),
    reason: nullable(Type.String(), { description: 'Why it is broken or failed, in one word.' }),
    error: nullable(Type.String(), { description: 'Why it is broken, failed, rejected or superseded, for people.' }),
    counts: nullable(GardenCounts, { description: 'Summary of its plan; null before it is planned.' }),
    plan_hash: nullable(planHash),
    run_id: nullable(id('gardenRun'), { description: 'The run that applies it.' }),
    decided_by: nullable(Type.String(), { description: 'Who approved or rejected it.' }),
    created_at: Timestamp,
    updated_at: Timestamp,
    finished_at: nullable(Timestamp),
  },
  { title: 'GardenCommit' },
);
export type GardenCommit = Static<typeof GardenCommit>;

export const GardenCommitDetail = Type.Object(
  {
    ...GardenCommit.properties,
    problems: Type.Array(GardenProblem, { description: 'Reasons for which its files cannot be planned or applied.' }),
    plan: nullable(GardenPlan, {
      description: 'The plan when it was made; null before that, and for old commits.',
    }),
  },
  { title: 'GardenCommitDetail' },
);
export type GardenCommitDetail = Static<typeof GardenCommitDetail>;

export const GardenDrift = Type.Object(
  {
    commit: nullable(GardenCommit, { description: 'The last applied commit; null if none was applied yet.' }),
    plan: nullable(GardenPlan, {
      description: 'The changes that would make what exists equal to that commit; null if there is none.',
    }),
  },
  { title: 'GardenDrift' },
);
export type GardenDrift = Static<typeof GardenDrift>;

export const GardenSource = Type.Object(
  {
    url: Type.String(),
    branch: Type.String(),
    path: Type.String({ description: 'Path of the garden in the repository.' }),
    mode: choice(gardenModes, {
      description: 'apply: each commit is applied at once. propose: it waits for an approval.',
    }),
    prune: Type.Boolean({ description: 'Whether what left the file is archived or removed, if this garden made it.' }),
    interval: Type.Integer({ description: 'Seconds between two looks at the repository.' }),
    provider: nullable(choice(forges), {
      description: 'The forge that gets a status for each commit; null if it is not known.',
    }),
    username: nullable(Type.String()),
    has_credentials: Type.Boolean({ description: 'The token is never shown.' }),
    webhook_url: Type.String({ description: 'Address for push webhooks of the forge.' }),
    followed_by: nullable(Type.String(), {
      description: 'Whose rights commits are planned and, in the mode apply, applied with: who last set the source.',
    }),
    last_commit: nullable(GardenCommit, { description: 'The newest commit that was found.' }),
    applied_sha: nullable(Type.String(), { description: 'The commit that was applied last.' }),
    checked_at: nullable(Timestamp, { description: 'When the repository was last read.' }),
    next_check_at: nullable(Timestamp),
    error: nullable(Type.String(), {
      description: 'Why the repository could not be read the last time; null if it was read.',
    }),
  },
  { title: 'GardenSource', description: 'The repository that a garden is read from.' },
);
export type GardenSource = Static<typeof GardenSource>;
