import type { Terminal } from '../world/terminal.ts';
import type { World } from '../world/world.ts';

export interface ScriptedTerminal extends Terminal {
  readonly printed: string;
  readonly noted: string;
  /** Questions in order; hidden ones are marked. */
  readonly questions: readonly string[];
}

/** Answers questions from a list, without a pty. */
export function scriptedTerminal(replies: readonly string[], overrides: Partial<Terminal> = {}): ScriptedTerminal {
  const left = [...replies];
  const questions: string[] = [];
  let printed = '';
  let noted = '';
  return {
    interactive: true,
    live: false,
    colour: false,
    width: 100,
    out: (text) => {
      printed += text;
    },
    note: (text) => {
      noted += text;
    },
    async ask(question, { hidden = false } = {}) {
      questions.push(hidden ? `${question}<hidden>` : question);
      const reply = left.shift();
      if (reply === undefined) throw new Error(`No scripted answer for ${question}`);
      return reply;
    },
    readInput: async () => '',
    openScreen: () => {
      throw new Error('Give the test a screen of its own.');
    },
    ...overrides,
    get printed() {
      return printed;
    },
    get noted() {
      return noted;
    },
    questions,
  };
}

/** Builds the dependencies of a command; time passes only in pauses. */
export function scriptedWorld(terminal: Terminal, env: World['env'], home = '/nowhere'): World {
  let now = Date.parse('2030-01-01T12:01:00Z');
  return {
    terminal,
    rawTerminal: () => {
      throw new Error('This test has no terminal for bytes.');
    },
    programs: { start: async () => false, run: async () => undefined },
    env,
    home,
    now: () => now,
    pause: async (ms) => {
      now += ms;
    },
    leaving: () => {},
    interrupted: () => new AbortController().signal,
  };
}
