import type { ContainerLine } from '@hortus/contract/resources/logs';
import { safeText } from '../output/safe-text.ts';
import type { Terminal } from '../world/terminal.ts';

/** Colours of components: bright enough on dark and light grounds, without those of errors and warnings. */
const colours = [36, 32, 35, 34, 96, 92, 95, 94] as const;

/** Formats lines of containers: time, component and text; each component keeps its colour. */
export class LinePrinter {
  readonly #terminal: Terminal;
  readonly #colours = new Map<string, number>();
  #width = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  print({ at, component, replica, text, level, cut }: ContainerLine): string {
    const name = safeText(replica > 1 ? `${component}.${replica}` : component);
    this.#width = Math.max(this.#width, name.length);
    const time = this.#painted(2, at.slice(11, 23));
    const source = this.#painted(this.#colourOf(component), name.padEnd(this.#width));
    const tone = level === 'error' ? 31 : level === 'warn' ? 33 : undefined;
    // A tab stays: programs align their output with it.
    const said = safeText(text).replaceAll('\n', ' ');
    return `${time} ${source} ${this.#painted(tone, said)}${cut ? this.#painted(2, ' … cut') : ''}\n`;
  }

  /** Formats a note about the log itself. */
  note(text: string): string {
    return `${this.#painted(2, `— ${text} —`)}\n`;
  }

  #colourOf(component: string): number {
    const known = this.#colours.get(component) ?? (colours[this.#colours.size % colours.length] as number);
    this.#colours.set(component, known);
    return known;
  }

  #painted(code: number | undefined, text: string): string {
    return this.#terminal.colour && code !== undefined && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text;
  }
}
