import type { LookupAddress } from 'node:dns';
import { expect, it } from 'vitest';
import { HostAddresses } from './host-addresses.ts';

const [old, fresh]: [LookupAddress[], LookupAddress[]] = [
  [{ address: '10.0.0.1', family: 4 }],
  [{ address: '10.0.0.2', family: 4 }],
];

/** Answers lookups in order, as the test decides. */
function nameServer() {
  const asked: (PromiseWithResolvers<LookupAddress[]> & { name: string })[] = [];
  const lookUp = (name: string) => {
    const question = { name, ...Promise.withResolvers<LookupAddress[]>() };
    asked.push(question);
    return question.promise;
  };
  return { asked, addresses: new HostAddresses(lookUp) };
}

it('one lookup of a name runs at a time', async () => {
  const { asked, addresses } = nameServer();
  const found = Promise.all([addresses.of('one'), addresses.of('one'), addresses.of('two')]);
  expect(asked.map(({ name }) => name)).toEqual(['one', 'two']);
  asked[0]?.resolve(old);
  asked[1]?.resolve(fresh);
  expect(await found).toEqual([old, old, fresh]);
  const later = addresses.of('one');
  asked[2]?.resolve(fresh);
  expect(await later).toEqual(fresh);
});

it('a name that was never known fails with the error of its lookup', async () => {
  const { asked, addresses } = nameServer();
  const found = addresses.of('one');
  asked[0]?.reject(new Error('ENOTFOUND'));
  await expect(found).rejects.toThrow('ENOTFOUND');
});

it('a known name whose lookup fails keeps its addresses', async () => {
  const { asked, addresses } = nameServer();
  const first = addresses.of('one');
  asked[0]?.resolve(old);
  await first;
  const second = addresses.of('one');
  asked[1]?.reject(new Error('EAI_AGAIN'));
  expect(await second).toEqual(old);
});

it('a known name whose lookup is late keeps its addresses until the response', async () => {
  const { asked, addresses } = nameServer();
  const first = addresses.of('one');
  asked[0]?.resolve(old);
  await first;
  expect(await addresses.of('one')).toEqual(old);
  expect(await addresses.of('one')).toEqual(old);
  expect(asked).toHaveLength(2);
  asked[1]?.resolve(fresh);
  const last = addresses.of('one');
  asked[2]?.resolve(fresh);
  expect(await last).toEqual(fresh);
});
