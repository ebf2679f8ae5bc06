import { expect, test } from 'vitest';
import { run } from '../run.ts';
import { scriptedTerminal, scriptedWorld } from '../testing/scripted-terminal.ts';

async function hortus(load: () => never) {
  const terminal = scriptedTerminal([], { interactive: false });
  const row = { name: 'squeeze', summary: 'Squeeze', args: [], options: {}, examples: [], calls: [], section: 'Start' };
  const code = await run(['squeeze'], scriptedWorld(terminal, {}), [{ ...row, load }] as never);
  return { code, noted: terminal.noted };
}

test.each([
  Object.assign(new Error('No such built-in module: node:sqlite'), { code: 'ERR_UNKNOWN_BUILTIN_MODULE' }),
  new SyntaxError("The requested module 'node:zlib' does not provide an export named 'createZstdCompress'"),
])('a command that this Node cannot run names the Node that it needs: %s', async (error) => {
  const { code, noted } = await hortus(() => {
    throw error;
  });
  expect(code).toBe(1);
  expect(noted).toMatch(/^hortus squeeze needs Node 22\.15 or later; this is \d+\.\d+\.\d+\.\nInstall a newer Node/);
});

test('a defect of a command is not reported as a wrong Node', async () => {
  const broken = hortus(() => {
    throw new SyntaxError("The requested module './a.ts' does not provide an export named 'b'");
  });
  await expect(broken).rejects.toThrow('./a.ts');
});
