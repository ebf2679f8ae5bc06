import { expect, test } from 'vitest';

interface Machine {
  exists(path: string): boolean;
  isRoot: boolean;
  arch: string;
  run(argv: string[]): Promise<number>;
}

/** Plain JavaScript, because it runs before anything is installed. */
const { installNodeLibrary } = (await import(new URL('node-library.mjs', import.meta.url).href)) as {
  installNodeLibrary(machine?: Partial<Machine>): Promise<void>;
};

function machineWith(files: readonly string[], facts: Partial<Machine> = {}) {
  const ran: string[] = [];
  const run = async (argv: string[]) => {
    ran.push(argv.join(' '));
    return 0;
  };
  return { ran, machine: { exists: (path: string) => files.includes(path), isRoot: true, arch: 'x64', run, ...facts } };
}
const install = ['apt-get update', 'apt-get install -y --no-install-recommends libatomic1'];

test('a minimal Debian gets the library of Node as root', async () => {
  const { machine, ran } = machineWith(['/usr/bin/apt-get']);
  await installNodeLibrary(machine);
  expect(ran).toEqual(install);
});

test('a person who is not root is given the command', async () => {
  const { machine, ran } = machineWith(['/usr/bin/apt-get'], { isRoot: false });
  await expect(installNodeLibrary(machine)).rejects.toThrow(`\n  ${install.join(' && ')}`);
  expect(ran).toEqual([]);
});

test('a failed installation is an error that names the command', async () => {
  const { machine } = machineWith(['/usr/bin/apt-get'], { run: async () => 100 });
  await expect(installNodeLibrary(machine)).rejects.toThrow('apt-get update ended with 100');
});

test.each([
  ['with the library', ['/usr/bin/apt-get', '/lib/x86_64-linux-gnu/libatomic.so.1'], 'x64'],
  ['without apt', [], 'x64'],
  ['of another architecture', ['/usr/bin/apt-get'], 'riscv64'],
])('a machine %s is left alone', async (_, files, arch) => {
  const { machine, ran } = machineWith(files, { arch, isRoot: false });
  await installNodeLibrary(machine);
  expect(ran).toEqual([]);
});
