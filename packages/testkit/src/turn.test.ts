import { expect, test } from 'vitest';
import { startProcess } from './process.ts';
import { takeTurn } from './turn.ts';

test('only one caller holds the turn, and the next gets it on release', async () => {
  const name = `test-${process.pid}`;
  const happened: string[] = [];
  const first = await takeTurn(name);
  const second = takeTurn(name).then(async (turn) => {
    happened.push('second');
    await turn[Symbol.asyncDispose]();
  });
  await (await takeTurn(`${name}-other`))[Symbol.asyncDispose]();
  happened.push('first');
  await first[Symbol.asyncDispose]();
  await second;
  expect(happened).toEqual(['first', 'second']);
});

test('a killed process releases the turn', async () => {
  const name = `test-${process.pid}-killed`;
  const script = `import { takeTurn } from ${JSON.stringify(new URL('./turn.ts', import.meta.url).href)};
    await takeTurn(${JSON.stringify(name)}); console.log('taken'); setInterval(() => {}, 1000);`;
  await using owner = startProcess([process.execPath, '--input-type=module', '--eval', script]);
  await owner.waitForLine('taken');
  await owner.kill();
  await using turn = await takeTurn(name);
  expect(turn).toBeDefined();
});
