import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { elfMachines, readElf } from './elf-file.ts';

const machine = process.arch === 'arm64' ? elfMachines.arm64 : elfMachines.amd64;

it('reads the processor, the loader and the libraries of a program, as readelf does', async () => {
  const shown = execFileSync('readelf', ['--wide', '--dynamic', '--program-headers', process.execPath], {
    encoding: 'utf8',
  });
  expect(await readElf(process.execPath)).toEqual({
    machine,
    interpreter: /interpreter: (.+)\]/.exec(shown)?.[1],
    needed: [...shown.matchAll(/\(NEEDED\).*\[(.+)\]/g)].map(([, name]) => name),
  });
});

it('refuses a file that is no program', async () => {
  await expect(readElf(import.meta.filename)).rejects.toThrow('is not a 64-bit little-endian ELF file');
});
