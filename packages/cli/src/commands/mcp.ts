import { VERSION } from '@hortus/contract/releases/version';
import { command } from '../command-line/command.ts';

export const mcp = command({
  name: 'mcp',
  summary: 'Serve the tools for an assistant over standard input and output',
  about:
    'An assistant that speaks the Model Context Protocol starts this program and calls its tools with the key of the context.\nReading is free; a change shows its plan first; a dangerous one is confirmed by a person. See docs/mcp.md.',
  examples: [['hortus mcp', 'Named as the command of an MCP server in the settings of the assistant.']],
  async run({ client, world }) {
    const service = await client();
    // The SDK takes longer to load than all other commands together.
    const { serveOverStdio } = await import('@hortus/mcp/stdio');
    const onError = (error: unknown) => world.terminal.note(`${error instanceof Error ? error.message : error}\n`);
    await serveOverStdio({ service, version: VERSION, onError }, process.stdin, process.stdout);
    return 'ok';
  },
});
