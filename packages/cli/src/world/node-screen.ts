import type { Screen, ScreenEvents } from './screen.ts';

const CSI = '\u001b[';
/** Alternate screen without a cursor, and back. */
const ENTER = `${CSI}?1049h${CSI}?25l`;
const LEAVE = `${CSI}?25h${CSI}?1049l`;
/** Lets terminals that know it show a frame at once; others ignore it. */
const BEGIN_FRAME = `${CSI}?2026h${CSI}H`;
const END_FRAME = `${CSI}J${CSI}?2026l`;
const END_OF_LINE = `${CSI}K`;

const CTRL_C = '\u0003';
const signals = { SIGTERM: 143, SIGHUP: 129 } as const;

/** Takes over the terminal. It is restored by `close` and however the process ends, except by SIGKILL. */
export function openNodeScreen(own: NodeJS.Process, events: ScreenEvents, onInterrupt: () => void): Screen {
  const { stdin, stdout } = own;
  let isOpen = true;
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    stdin.off('data', pressed);
    stdin.off('end', interrupted);
    stdout.off('resize', resized);
    own.off('exit', close);
    for (const signal of Object.keys(signals) as (keyof typeof signals)[]) own.off(signal, ended);
    stdin.setRawMode(false);
    stdin.pause();
    stdout.write(LEAVE);
  };
  /** Restores the terminal before an error is printed on it. */
  const safely =
    <Args extends unknown[]>(listener: (...args: Args) => void) =>
    (...args: Args) => {
      try {
        listener(...args);
      } catch (error) {
        close();
        throw error;
      }
    };
  const pressed = safely((chunk: Buffer) => {
    const text = chunk.toString();
    if (text.includes(CTRL_C)) return interrupted();
    // Arrows and other keys arrive as one sequence.
    if (text.startsWith('\u001b')) return;
    for (const character of text) if (character >= ' ') events.key(character);
  });
  const interrupted = safely(() => {
    close();
    onInterrupt();
  });
  const resized = safely(() => events.resized());
  const ended = safely((signal: NodeJS.Signals) => {
    close();
    own.exit(signals[signal as keyof typeof signals]);
  });

  stdout.write(ENTER);
  stdin.setRawMode(true);
  stdin.on('data', pressed);
  stdin.on('end', interrupted);
  stdin.resume();
  stdout.on('resize', resized);
  own.on('exit', close);
  for (const signal of Object.keys(signals) as (keyof typeof signals)[]) own.on(signal, ended);

  return {
    get width() {
      return stdout.columns || 80;
    },
    get height() {
      return stdout.rows || 24;
    },
    draw(lines) {
      if (isOpen) stdout.write(`${BEGIN_FRAME}${lines.map((line) => line + END_OF_LINE).join('\r\n')}${END_FRAME}`);
    },
    close,
  };
}
