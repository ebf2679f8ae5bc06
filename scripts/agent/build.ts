import { chmod, mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bundleDaemon } from './bundle.ts';
import { run } from './quiet-run.ts';
import { type Arch, strippedNode } from './stripped-node.ts';

export interface BuiltAgent {
  readonly size: number;
  /** What did not go as it should, though the binary works. */
  readonly notes: readonly string[];
}

/** Makes one executable of the daemon and a Node. The output appears whole or not at all. */
export async function buildAgent({ arch, output }: { arch: Arch; output: string }): Promise<BuiltAgent> {
  await mkdir(dirname(output), { recursive: true });
  // Beside the output, so that the last step is a rename within one file system.
  const workshop = await mkdtemp(join(dirname(output), '.building-'));
  try {
    const node = await strippedNode(arch);
    const main = join(workshop, 'hortusd.mjs');
    await writeFile(main, await bundleDaemon());
    const draft = join(workshop, 'hortusd');
    const config = join(workshop, 'sea.json');
    await writeFile(
      config,
      JSON.stringify({
        main,
        mainFormat: 'module',
        executable: node.path,
        output: draft,
        disableExperimentalSEAWarning: true,
        // A cache is good only for the very processor and flags that it was made with.
        useCodeCache: false,
        useSnapshot: false,
        // What stands in the environment of a server must not change what its daemon runs.
        execArgvExtension: 'none',
        // The daemon works little and stays for long: a small heap that is swept often, rather than one that grows first.
        execArgv: ['--max-semi-space-size=1', '--optimize-for-size'],
      }),
    );
    await run([process.execPath, '--build-sea', config]);
    await chmod(draft, 0o755);
    await rename(draft, output);
    return { size: (await stat(output)).size, notes: node.notes };
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}
