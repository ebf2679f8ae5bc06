import { chmod, mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { RELEASE_KEY_ASSET } from '@hortus/daemon/update/release-key';
import { bundleDaemon, type DaemonBundle } from './bundle.ts';
import { run } from './quiet-run.ts';
import { type Arch, strippedNode } from './stripped-node.ts';

export interface BuiltAgent {
  readonly size: number;
  /** Warnings; the binary works. */
  readonly notes: readonly string[];
}

export interface AgentBuild {
  readonly arch: Arch;
  readonly output: string;
  /** Public keys of releases that the binary may update itself to, base64 SPKI; without one it refuses updates. */
  readonly releaseKeys?: readonly string[];
  /** Changes the scripts; tests make other versions with it. */
  readonly changed?: (bundle: DaemonBundle) => DaemonBundle;
}

/** Builds one executable from the daemon and Node. Writes the output atomically. */
export async function buildAgent({
  arch,
  output,
  releaseKeys = [],
  changed = (bundle) => bundle,
}: AgentBuild): Promise<BuiltAgent> {
  await mkdir(dirname(output), { recursive: true });
  // Next to the output, so that the final rename stays within one file system.
  const workshop = await mkdtemp(join(dirname(output), '.building-'));
  try {
    const node = await strippedNode(arch);
    const bundle = changed(await bundleDaemon());
    const keys = releaseKeys.map((key) => `${key}\n`).join('');
    const assets = { ...bundle.scripts, ...(keys !== '' && { [RELEASE_KEY_ASSET]: keys }) };
    const files = { ...assets, 'hortusd.cjs': bundle.main };
    for (const [name, code] of Object.entries(files)) await writeFile(join(workshop, name), code);
    await writeFile(
      join(workshop, 'sea.json'),
      JSON.stringify({
        // Relative, because the binary contains this path: every build gives the same bytes.
        main: 'hortusd.cjs',
        mainFormat: 'commonjs',
        assets: Object.fromEntries(Object.keys(assets).map((name) => [name, name])),
        executable: node.path,
        output: 'hortusd',
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
    await run([process.execPath, '--build-sea', 'sea.json'], { cwd: workshop });
    const draft = join(workshop, 'hortusd');
    await chmod(draft, 0o755);
    await rename(draft, output);
    return { size: (await stat(output)).size, notes: node.notes };
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}
