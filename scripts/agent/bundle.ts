import { join } from 'node:path';
import { agentMark } from '@hortus/contract/agent-file';
import { VERSION } from '@hortus/daemon/version';
import { rolldown } from 'rolldown';

const main = join(import.meta.dirname, '../../packages/daemon/src/main.ts');

/** The daemon and all that it imports as one module, which carries its version where it can be found from outside. */
export async function bundleDaemon(): Promise<string> {
  const bundle = await rolldown({ input: main, platform: 'node', logLevel: 'warn' });
  try {
    const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
    const [{ code }] = output;
    // First, whatever the bundle begins with: a line for the shell would be none any more.
    return `// ${agentMark(VERSION)}\n${code.replace(/^#!.*\n/, '')}`;
  } finally {
    await bundle.close();
  }
}
