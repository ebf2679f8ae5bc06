import { storedPageToken } from '@hortus/client/page-token';
import { pageTokenProtocol } from '@hortus/contract/protocol/page-token';
import { shellProtocol } from '@hortus/contract/protocol/shell-window';
import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import '../styles/terminal.css';
import { type FrameMessage, frameHash } from './frame-message.ts';
import { type Ending, ShellLink } from './shell-link.ts';

/** The frame with a terminal. The page that shows it has opened the session; this connects to it and reports how it goes. */
const { session } = frameHash(location.hash);
const style = getComputedStyle(document.documentElement);
const token = (name: string) => style.getPropertyValue(name).trim();
const terminal = new Terminal({
  fontFamily: token('--font-mono'),
  fontSize: 13,
  scrollback: 10_000,
  cursorBlink: !matchMedia('(prefers-reduced-motion: reduce)').matches,
  // Says to screen readers what appears.
  screenReaderMode: true,
  theme: themeOf(),
});
const fit = new FitAddon();
terminal.loadAddon(fit);
terminal.open(document.getElementById('terminal') as HTMLElement);
fit.fit();
terminal.focus();

const notify = (message: FrameMessage) => parent.postMessage(message, location.origin);
const encoder = new TextEncoder();
const socket = new WebSocket(
  `${location.origin.replace(/^http/, 'ws')}/ws/shell?session_id=${encodeURIComponent(session)}`,
  [shellProtocol, `${pageTokenProtocol}${storedPageToken() ?? ''}`],
);
socket.binaryType = 'arraybuffer';
const link = new ShellLink(socket, {
  onOutput: (bytes) => new Promise((done) => terminal.write(bytes, done)),
  onStarted: (component) => {
    link.resize(terminal.cols, terminal.rows);
    notify({ type: 'started', component });
  },
  onEnded: (ending) => {
    terminal.options.disableStdin = true;
    notify({ type: 'ended', words: wordsOf(ending) });
  },
});
socket.addEventListener('message', ({ data }) => void link.received(data));
socket.addEventListener('close', () => link.closed());
terminal.onData((text) => link.send(encoder.encode(text)));
// Reports of the mouse are bytes, not text.
terminal.onBinary((text) => link.send(Uint8Array.from(text, (letter) => letter.charCodeAt(0))));
terminal.onResize(({ cols, rows }) => link.resize(cols, rows));
new ResizeObserver(() => fit.fit()).observe(document.body);
addEventListener('message', ({ source, origin, data }) => {
  if (source !== parent || origin !== location.origin || (data as FrameMessage)?.type !== 'theme') return;
  document.documentElement.dataset.theme = (data as { theme: string }).theme;
  terminal.options.theme = themeOf();
});

function themeOf() {
  return {
    background: token('--sunken'),
    foreground: token('--ink'),
    cursor: token('--bloom'),
    selectionBackground: token('--bloom-2'),
    black: token('--ink'),
    red: token('--bad-ink'),
    green: token('--ok-ink'),
    yellow: token('--warn-ink'),
    blue: token('--log-2'),
    magenta: token('--log-3'),
    cyan: token('--link'),
    white: token('--ink-3'),
    brightBlack: token('--ink-3'),
    brightRed: token('--bad'),
    brightGreen: token('--ok'),
    brightYellow: token('--warn'),
    brightBlue: token('--chart-2'),
    brightMagenta: token('--bloom'),
    brightCyan: token('--leaf-5'),
    brightWhite: token('--ink-2'),
  };
}

const wordsOf = (ending: Ending): string =>
  'problem' in ending ? ending.problem : `The shell has ended with exit code ${ending.code}.`;
