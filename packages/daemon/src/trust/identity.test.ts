import { openLog } from '@hortus/logging/log';
import { type TemporaryFolder, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { DaemonConfig } from '../config/config.ts';
import { type Journal, openJournal } from '../journal/journal.ts';
import { Signer } from '../testing/signing.ts';
import { Identity } from './identity.ts';

let folder: TemporaryFolder;
let journal: Journal;
beforeEach(() => {
  folder = temporaryFolder('identity');
  journal = openJournal(folder.path);
});
afterEach(async () => {
  journal.close();
  await folder.remove();
});

const identity = (manifestPublicKey?: string) => {
  const config = { stateDirectory: folder.path, manifestPublicKey } as DaemonConfig;
  return new Identity({ config, pins: journal.pins, log: openLog({ level: 'error' }) });
};
const nonsense = 'bm9uc2Vuc2U=';

it('an invalid key from the operator is rejected, and a valid one is accepted afterwards', () => {
  expect(() => identity(nonsense)).toThrow('cannot be read');
  expect(identity(new Signer().publicKey).publicKey).toBeDefined();
});

it('an invalid key from the service is rejected, and a valid one is accepted afterwards', () => {
  const own = identity();
  expect(() => own.introduced({ manifest_public_key: nonsense })).toThrow('cannot be read');
  own.introduced({ manifest_public_key: new Signer().publicKey });
  expect(own.publicKey).toBeDefined();
});

it('a pinned key does not change', () => {
  identity(new Signer().publicKey);
  expect(() => identity(new Signer().publicKey)).toThrow('another key');
});
