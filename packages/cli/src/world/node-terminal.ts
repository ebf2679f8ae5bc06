import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Failure } from '../failure.ts';
import { openNodeScreen } from './node-screen.ts';
import type { Terminal } from './terminal.ts';

export function nodeTerminal(own: NodeJS.Process, onInterrupt: () => void): Terminal {
  const { stdin, stdout, stderr, env } = own;
  const live = stdout.isTTY === true && env.TERM !== 'dumb';
  // A closed pipe (such as `| head`) is not an error.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') own.exit(0);
    throw error;
  });
  return {
    interactive: stdin.isTTY === true && stderr.isTTY === true,
    live,
    // https://no-color.org: present and not empty.
    colour: live && (env.NO_COLOR ?? '') === '',
    get width() {
      return live ? stdout.columns || 80 : Number.POSITIVE_INFINITY;
    },
    out: (line) => void stdout.write(line),
    note: (line) => void stderr.write(line),
    ask: (question, { hidden = false } = {}) => ask(question, hidden),
    readInput: () => text(stdin),
    openScreen: (events) => openNodeScreen(own, events, onInterrupt),
  };

  async function ask(question: string, hidden: boolean): Promise<string> {
    // Questions go to stderr; the echo of a hidden answer is discarded.
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    // Opens the reader before printing the question: until then the kernel echoes the input.
    const lines = createInterface({ input: stdin, output: hidden ? nowhere : stderr, terminal: true, historySize: 0 });
    try {
      return await new Promise<string>((reply, fail) => {
        lines.once('line', reply);
        lines.once('SIGINT', onInterrupt);
        lines.once('close', () => fail(new Failure('usage', 'No answer was given.')));
        if (hidden) stderr.write(question);
        else {
          lines.setPrompt(question);
          lines.prompt();
        }
      });
    } finally {
      if (hidden) stderr.write('\n');
      lines.close();
    }
  }
}
