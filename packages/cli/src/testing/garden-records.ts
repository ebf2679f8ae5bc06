import type { GardenPlan } from '@hortus/contract/resources/garden-records';
import type { GardenCommit, GardenCommitDetail, GardenSource } from '@hortus/contract/resources/garden-source-records';
import type { Garden } from '@hortus/contract/resources/gardens';
import { moment, recordId } from './records.ts';

const gardenId = recordId('gdn', 1);
export const planHash = `sha256:${'c'.repeat(64)}`;

export const plan = (over: Partial<GardenPlan> = {}): GardenPlan => ({
  name: 'home',
  garden_id: gardenId,
  plan_hash: planHash,
  counts: { create: 1, update: 0, deploy: 0, archive: 0, remove: 0, unchanged: 2 },
  changes: [
    {
      kind: 'definition',
      key: 'blog',
      action: 'create',
      id: null,
      fields: [{ field: 'species', change: 'added', after: 'inkwell' }],
      needs: [],
    },
  ],
  problems: [],
  unresolved: [],
  ...over,
});

export const commit = (over: Partial<GardenCommit> = {}): GardenCommit => ({
  id: recordId('gcm', 1),
  garden_id: gardenId,
  sha: '3f2a91c0de'.repeat(4),
  subject: 'Add a blog',
  author: 'Ada',
  committed_at: moment(0),
  status: 'waiting',
  reason: null,
  error: null,
  counts: plan().counts,
  plan_hash: planHash,
  run_id: null,
  decided_by: null,
  created_at: moment(0),
  updated_at: moment(0),
  finished_at: null,
  ...over,
});

export const commitDetail = (over: Partial<GardenCommitDetail> = {}): GardenCommitDetail => ({
  ...commit(),
  problems: [],
  plan: plan(),
  ...over,
});

export const source = (over: Partial<GardenSource> = {}): GardenSource => ({
  url: 'https://git.example.org/ada/home.git',
  branch: 'main',
  path: 'garden.yaml',
  mode: 'propose',
  prune: false,
  interval: 300,
  provider: 'forgejo',
  username: null,
  has_credentials: true,
  webhook_url: `https://hortus.example.org/api/v1/gardens/${gardenId}/push`,
  followed_by: null,
  last_commit: commit(),
  applied_sha: null,
  checked_at: moment(0),
  next_check_at: moment(300),
  error: null,
  ...over,
});

export const garden = (over: Partial<Garden> = {}): Garden => ({
  id: gardenId,
  name: 'home',
  source: source(),
  items: 2,
  last_run: null,
  created_at: moment(0),
  updated_at: moment(0),
  ...over,
});
