import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TemporaryFolder, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { component, manifest } from '../plan/testing/manifests.ts';
import { request } from '../testing/actions.ts';
import { id, Signer } from '../testing/signing.ts';
import { success } from './action.ts';
import { type Journal, openJournal } from './journal.ts';
import { keyPairFile } from './key-pair.ts';
import { CHANGES, SCHEMA } from './schema.ts';

const SECRET = 'hunter2-at-rest';
let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder('secrets');
});
afterEach(() => folder.remove());

const signed = new Signer().sign(manifest('blog', [component('main', { env: { PASSWORD: SECRET } })]));
const deployment = { id: id('dep'), definition_id: id('def'), revision: 1 };
const asked = request('login', ['login', SECRET], { password: SECRET });

/** Puts a secret into every place that can contain one. */
function fill({ deployments, manifests, watches, executions }: Journal): void {
  deployments.receive(deployment, 1);
  deployments.start(deployment.id, signed);
  manifests.keep(signed);
  watches.begin({
    instanceUid: 'blog',
    deploymentId: deployment.id,
    until: 9,
    irreversible: undefined,
    former: signed,
  });
  executions.start(asked, { kind: 'once' }, 1);
  executions.finish(asked.execution_id, success(SECRET), 2);
}

function expectAll({ deployments, manifests, watches, executions }: Journal): void {
  expect(deployments.find(deployment.id)?.manifest).toEqual(signed);
  expect(manifests.of('blog')).toEqual(signed);
  expect(watches.all()).toMatchObject([{ former: signed }]);
  expect(executions.find(asked.execution_id)).toMatchObject({ request: asked, outcome: { output: SECRET } });
}

const files = () => readdirSync(folder.path).filter((name) => statSync(join(folder.path, name)).isFile());
const holders = () => files().filter((name) => readFileSync(join(folder.path, name), 'latin1').includes(SECRET));
const modeOf = (name: string) => statSync(join(folder.path, name)).mode & 0o777;

describe('the journal', () => {
  it('contains no plaintext secret, even while it is open, and can be read again', () => {
    const first = openJournal(folder.path);
    fill(first);
    expect(holders()).toEqual([]);
    first.close();
    expect(holders()).toEqual([]);
    const second = openJournal(folder.path);
    expectAll(second);
    second.close();
  });

  it('and the key pair are not accessible to other users, whatever their mode was before', () => {
    openJournal(folder.path).close();
    for (const name of ['journal.db', 'identity.key']) chmodSync(join(folder.path, name), 0o644);
    chmodSync(folder.path, 0o755);
    const journal = openJournal(folder.path);
    fill(journal);
    const secret = files().filter((name) => /^(journal\.db|identity\.key)/.test(name));
    expect(secret).toEqual(expect.arrayContaining(['identity.key', 'journal.db', 'journal.db-wal']));
    expect(secret.map(modeOf)).toEqual(secret.map(() => 0o600));
    expect(statSync(folder.path).mode & 0o777).toBe(0o700);
    journal.close();
  });

  it('of an earlier version is encrypted at its first start, and its plaintext is erased from the disk', () => {
    const old = new DatabaseSync(join(folder.path, 'journal.db'));
    old.exec(`pragma journal_mode = wal; ${SCHEMA}; ${CHANGES.join('; ')}; pragma user_version = ${CHANGES.length}`);
    const text = JSON.stringify(signed);
    old
      .prepare(
        `insert into manifests (instance_uid, deployment_id, revision, signed_at, manifest) values ('blog', 'd', 1, 1, ?)`,
      )
      .run(text);
    old
      .prepare(
        `insert into deployments (id, definition_id, revision, manifest, phase, received_at) values (?, 'd', 1, ?, 'started', 1)`,
      )
      .run(deployment.id, text);
    old
      .prepare(`insert into watches (instance_uid, deployment_id, until, former) values ('blog', 'd', 9, ?)`)
      .run(text);
    old
      .prepare(`insert into executions (id, request, phase, outcome, received_at) values (?, ?, 'finished', ?, 1)`)
      .run(asked.execution_id, JSON.stringify(asked), JSON.stringify(success(SECRET)));
    old.close();
    expect(holders()).toEqual(['journal.db']);
    const journal = openJournal(folder.path);
    expect(holders()).toEqual([]);
    expectAll(journal);
    journal.close();
  });

  it('with a ciphertext moved to another row is rejected', () => {
    const journal = openJournal(folder.path);
    fill(journal);
    const shop = new Signer().sign(manifest('shop', [component('main')]));
    journal.manifests.keep(shop);
    journal.close();
    const db = new DatabaseSync(join(folder.path, 'journal.db'));
    db.exec(
      `update manifests set manifest = (select manifest from manifests where instance_uid = 'blog') where instance_uid = 'shop'`,
    );
    db.close();
    const again = openJournal(folder.path);
    expect(() => again.manifests.of('shop')).toThrow();
    again.close();
  });

  it('explains what to do when its key pair was lost or replaced, and releases the directory', () => {
    openJournal(folder.path).close();
    rmSync(keyPairFile(folder.path));
    expect(() => openJournal(folder.path)).toThrow('another identity.key');
    expect(() => openJournal(folder.path)).toThrow('another identity.key');
    writeFileSync(keyPairFile(folder.path), 'nonsense');
    expect(() => openJournal(folder.path)).toThrow('is not the key pair of a daemon');
  });
});

it('the key pair is created once and never changes', () => {
  const first = openJournal(folder.path);
  const { publicKey } = first.keyPair;
  first.close();
  expect(existsSync(keyPairFile(folder.path))).toBe(true);
  const second = openJournal(folder.path);
  expect(second.keyPair.publicKey).toBe(publicKey);
  second.close();
});
