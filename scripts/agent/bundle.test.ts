import { expect, it } from 'vitest';
import { bundleDaemon } from './bundle.ts';

it('no script of the daemon is large: malloc keeps what the parser of V8 takes for one', async () => {
  const { scripts } = await bundleDaemon();
  const large = Object.entries(scripts).filter(([, code]) => code.length > 500_000);
  expect(large.map(([name]) => name)).toEqual([]);
});

it('the same source gives the same scripts', async () => {
  expect(await bundleDaemon()).toEqual(await bundleDaemon());
});
