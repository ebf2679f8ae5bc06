import { chmod, mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bundleDaemon } from './bundle.ts';
import { run } from './quiet-run.ts';
import { type Arch, strippedNode } from './stripped-node.ts';

export interface BuiltAgent {
  readonly size: number;
  /** Warnings; the binary works. */
  readonly notes: readonly string[];
}

/** Builds one executable from the daemon and Node. Writes the output atomically. */
export async function buildAgent({ arch, output }: { arch: Arch; output: string }): Promise<BuiltAgent> {
  await mkdir(dirname(output), { recursive: true });
  // Next to the output, so that the final rename stays within one file system.
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
        // A code cache works only with the processor and flags it was created with.
        useCodeCache: false,
        useSnapshot: false,
        // The environment of a server must not change what its daemon runs.
        execArgvExtension: 'none',
        // The daemon is long-lived and mostly idle: prefer a small heap with frequent collections.
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
