import { type TemporaryFolder, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { DaemonConfig } from '../config.ts';
import { type Journal, openJournal } from '../journal/journal.ts';
import { openLog } from '../log.ts';
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
  return new Identity({ config, pins: journal.pins, log: openLog('error') });
};
const nonsense = 'bm9uc2Vuc2U=';

it('what the operator gives and is no key is refused, and the right one is taken after it', () => {
  expect(() => identity(nonsense)).toThrow('cannot be read');
  expect(identity(new Signer().publicKey).publicKey).toBeDefined();
});

it('what the service says and is no key is refused, and the right one is taken after it', () => {
  const own = identity();
  expect(() => own.introduced({ manifest_public_key: nonsense })).toThrow('cannot be read');
  own.introduced({ manifest_public_key: new Signer().publicKey });
  expect(own.publicKey).toBeDefined();
});

it('the key that was taken once stays', () => {
  identity(new Signer().publicKey);
  expect(() => identity(new Signer().publicKey)).toThrow('another key');
});
