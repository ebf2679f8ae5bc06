import { ApiProblem } from '@hortus/client/problem';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import { openLog } from '@hortus/logging/log';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { expect, it } from 'vitest';
import { openJournal } from '../journal/journal.ts';
import { label } from '../plan/labels.ts';
import { component, manifest } from '../plan/testing/manifests.ts';
import { id, Signer } from '../testing/signing.ts';
import { type DeployedManifestsDeps, deployedInstances, readDeployedManifests } from './deployed-manifests.ts';
import { service } from './testing/swarm-facts.ts';

const labelsOf = (uid: string, number: number, revision = number) => ({
  [label.instance]: uid,
  [label.definition]: id('def'),
  [label.deployment]: id('dep', number),
  [label.revision]: String(revision),
});
const expected = (number: number) => ({ id: id('dep', number), definition_id: id('def'), revision: number });

it('an instance is that of its newest complete deployment', () => {
  const services = [
    service({ labels: labelsOf('blog', 1) }),
    service({ labels: labelsOf('blog', 3) }),
    service({ labels: labelsOf('blog', 2) }),
    service({ labels: labelsOf('shop', 5), formerLabels: labelsOf('shop', 4) }),
    service({ labels: labelsOf('new', 5) }),
  ];
  expect(deployedInstances(services, new Set([id('dep', 5)]))).toEqual(
    new Map([
      ['blog', expected(3)],
      ['shop', expected(4)],
    ]),
  );
});

it('manifests of other leaders are read, outdated ones replaced, and those of released instances forgotten', async () => {
  await using folder = temporaryFolder('deployed');
  const journal = openJournal(folder.path);
  const signed = (uid: string, number: number) =>
    new Signer().sign(manifest(uid, [component('main')]), { deployment_id: id('dep', number), revision: number });
  for (const uid of ['blog', 'same', 'released', 'lost']) journal.manifests.keep(signed(uid, 1));
  const services = [
    service({ labels: labelsOf('blog', 2) }),
    service({ labels: labelsOf('same', 1) }),
    service({ labels: labelsOf('shop', 3) }),
    service({ labels: labelsOf('lost', 9) }),
    // Its deployment is on the second page of the unfinished ones.
    service({ labels: labelsOf('young', 8) }),
  ];
  const open = Array.from({ length: 101 }, (_, index) => ({ id: index === 100 ? id('dep', 8) : `dep_${index}` }));
  // Its services were removed for a restore on another node.
  const begun = [{ id: 'c', name: 'c', labels: labelsOf('moved', 4), data: Buffer.alloc(0), createdAt: 0 }];
  const asked: string[] = [];
  const responses: Record<string, SignedManifest> = {
    [id('dep', 2)]: signed('blog', 2),
    [id('dep', 3)]: signed('shop', 3),
    [id('dep', 4)]: signed('moved', 4),
  };
  const call = async (name: string, { query }: { query: { deployment_id: string; page: number } }) => {
    if (name === 'deployments.pending') return { data: open.slice((query.page - 1) * 100, query.page * 100) };
    asked.push(query.deployment_id);
    const data = responses[query.deployment_id];
    if (data) return { data };
    throw new ApiProblem({ code: 'NOT_FOUND', status: 404, message: 'No such deployment.' });
  };
  const deps: DeployedManifestsDeps = {
    cluster: { services: async () => services, contents: async () => begun },
    service: { call: call as unknown as DeployedManifestsDeps['service']['call'] },
    acceptance: { accept: (_, response) => response as SignedManifest },
    journal,
    serverId: () => id('srv'),
    log: openLog({ level: 'error' }),
  };
  await readDeployedManifests(deps);
  expect(asked.sort()).toEqual([id('dep', 2), id('dep', 3), id('dep', 4), id('dep', 9)]);
  const known = journal.manifests.all().map(({ instance_uid, revision }) => [instance_uid, revision]);
  expect(known).toEqual([
    ['blog', 2],
    ['moved', 4],
    ['same', 1],
    ['shop', 3],
  ]);
  responses[id('dep', 9)] = signed('lost', 9);
  const down = () => Promise.reject(new ApiProblem({ code: 'NETWORK', status: 0, message: 'No response.' }));
  await expect(readDeployedManifests({ ...deps, service: { call: down as never } })).rejects.toThrow('No response.');
  journal.close();
});
