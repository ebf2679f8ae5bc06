import { connect } from 'node:net';
import { freePort } from './port.ts';
import { startProcess } from './process.ts';
import { until } from './until.ts';

export interface MailServer extends AsyncDisposable {
  /** For HORTUS_SMTP_URL. */
  readonly url: string;
  /** The mails so far: headers and body as received. */
  mails(): string[];
  /** Waits for the first mail, past or future, that contains a text. */
  waitFor(text: string): Promise<string>;
}

const BEGIN = '---------- MESSAGE FOLLOWS ----------\n';
const END = '------------ END MESSAGE ------------\n';

/** Starts Debian's aiosmtpd, which accepts every mail and prints it. */
export async function startMailServer(): Promise<MailServer> {
  const port = await freePort();
  const handler = ['-c', 'aiosmtpd.handlers.Debugging', 'stdout'] as const;
  const child = startProcess(['aiosmtpd', '--nosetuid', '--listen', `127.0.0.1:${port}`, ...handler], {
    env: { PYTHONUNBUFFERED: '1' },
  });
  await until(() => child.running && listens(port), { describe: () => `the mail server; it said: ${child.output}` });
  const mails = () =>
    child.stdout.split(BEGIN).flatMap((text) => (text.includes(END) ? [text.slice(0, text.indexOf(END))] : []));
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    waitFor: (text) =>
      until(() => mails().find((mail) => mail.includes(text)), {
        describe: () => `a mail with ${JSON.stringify(text)}; received: ${JSON.stringify(mails())}`,
      }),
    async [Symbol.asyncDispose]() {
      await child.stop();
    },
  };
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
