import { ApiProblem } from '@hortus/client/problem';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import { Slots } from '../concurrency/turns.ts';
import type { Cluster, ServiceFacts } from '../engine/cluster.ts';
import type { Journal } from '../journal/journal.ts';
import type { RolloutResult } from '../journal/rollout-result.ts';
import type { Service } from '../link/service.ts';
import type { Log } from '../log.ts';
import { label } from '../plan/labels.ts';
import type { Expectation } from '../trust/accept-manifest.ts';
import { requestNonce } from '../trust/request-nonce.ts';
import { RESTORING_ON } from './lost-node.ts';

export interface DeployedManifestsDeps {
  cluster: Pick<Cluster, 'services' | 'contents'>;
  service: Pick<Service, 'call'>;
  /** Decides which manifests may be used here. */
  acceptance: { accept(deployment: Deployed, response: unknown, nonce: string): SignedManifest | RolloutResult };
  journal: Journal;
  serverId(): string;
  log: Log;
}

type Deployed = Expectation['deployment'];

const AT_ONCE = 4;
/** Largest page of the service. */
const PER_PAGE = 100;

/**
 * Brings the manifests in the journal up to what the services of the Swarm were made of. Actions, backups and schedules of this
 * daemon use them, and it knows only its own deployments otherwise. Rejects if the Swarm or the service does not respond.
 */
export async function readDeployedManifests(deps: DeployedManifestsDeps): Promise<void> {
  const { cluster, service, journal, serverId } = deps;
  const labels = { [label.managed]: 'true', [label.server]: serverId() };
  const [services, restored, unfinished] = await Promise.all([
    cluster.services({ labels }),
    cluster.contents('configs', { labels: { ...labels, [RESTORING_ON]: true } }),
    unfinishedDeployments(service),
  ]);
  const begun = restored.map(({ labels }) => ({ labels, formerLabels: undefined }));
  const deployed = deployedInstances([...services, ...begun], unfinished);
  for (const { instance_uid: uid } of journal.manifests.all()) if (!deployed.has(uid)) journal.manifests.forget(uid);
  const slots = new Slots(AT_ONCE);
  await Promise.all([...deployed].map(([uid, deployment]) => slots.run(() => readOne(deps, uid, deployment))));
}

async function unfinishedDeployments(service: DeployedManifestsDeps['service']): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let page = 1; ; page++) {
    const { data } = await service.call('deployments.pending', { query: { page, per_page: PER_PAGE } });
    for (const { id } of data) ids.add(id);
    if (data.length < PER_PAGE) return ids;
  }
}

/**
 * Returns the last complete deployment that changed each instance. Where an unfinished one has updated a service already, it
 * counts as before, because the update may still be undone.
 */
export function deployedInstances(
  services: readonly Pick<ServiceFacts, 'labels' | 'formerLabels'>[],
  unfinished: ReadonlySet<string>,
): Map<string, Deployed> {
  const deployed = new Map<string, Deployed>();
  for (const { labels, formerLabels } of services) {
    const complete = [labels, formerLabels].find((item) => item && !unfinished.has(item[label.deployment] ?? ''));
    const uid = labels[label.instance];
    const id = complete?.[label.deployment];
    if (uid === undefined || id === undefined) continue;
    // Ids sort by time. Services that a deployment did not change keep the label of an earlier one.
    if ((deployed.get(uid)?.id ?? '') >= id) continue;
    const [definition_id, revision] = [complete?.[label.definition] ?? '', Number(complete?.[label.revision])];
    deployed.set(uid, { id, definition_id, revision });
  }
  return deployed;
}

async function readOne(
  { service, acceptance, journal, log }: DeployedManifestsDeps,
  uid: string,
  deployment: Deployed,
): Promise<void> {
  // A later deployment of this daemon may have changed no service.
  if ((journal.manifests.of(uid)?.deployment_id ?? '') >= deployment.id) return;
  let refusal: string | undefined;
  try {
    const nonce = requestNonce();
    const query = { deployment_id: deployment.id, sealing_key: journal.keyPair.publicKey, nonce };
    const { data } = await service.call('manifest.read', { query });
    const accepted = acceptance.accept(deployment, data, nonce);
    if (!('status' in accepted)) return journal.manifests.keep(accepted);
    refusal = accepted.error;
  } catch (error) {
    if (!isLasting(error)) throw error;
    refusal = error.message;
  }
  // With an outdated one, an action would run what is no longer declared.
  journal.manifests.forget(uid);
  log.warn(
    {
      instance: uid,
      deployment: deployment.id,
      reason: refusal,
    },
    'the manifest of an instance could not be read; deploy it again to use its actions',
  );
}

/** Whether the service refused this manifest alone, so that a retry is useless. */
const isLasting = (error: unknown): error is ApiProblem =>
  error instanceof ApiProblem && [404, 409, 422].includes(error.status);
