import type { Client } from '@hortus/client/client';
import { ApiProblem } from '@hortus/client/problem';
import { ShellConnection } from '@hortus/client/shell/shell-connection';
import type { ShellRequest } from '@hortus/contract/resources/shells';
import { Failure } from '../failure.ts';
import type { Settings } from '../settings/settings.ts';
import type { RawTerminal } from '../world/raw-terminal.ts';
import { RESET_SCREEN } from './reset-screen.ts';

export interface Entering {
  readonly service: Client;
  readonly settings: Settings;
  readonly raw: RawTerminal;
  readonly instanceId: string;
  readonly component: string | undefined;
  readonly command: readonly string[];
  readonly term: string | undefined;
}

/** Names of terminals that the service accepts. */
const TERM = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/;

/** Runs a command in a container as if it ran here; returns its exit code. */
export async function enterShell(entering: Entering): Promise<number> {
  const { service, settings, raw, instanceId } = entering;
  const { data: session } = await service.call('shells.open', {
    params: { id: instanceId },
    body: requestOf(entering),
  });
  const connection = new ShellConnection({
    baseUrl: settings.url,
    key: settings.key ?? '',
    sessionId: session.id,
    terminal: raw.hasTerminal,
    output: (stream, data) => raw.write(stream, data),
  });
  let isRunning = false;
  try {
    // Until then, Ctrl-C ends hortus.
    await connection.started;
    isRunning = true;
    raw.takeOver((size) => connection.resize(size));
    if (raw.hasTerminal) connection.resize(raw.size);
    raw.read(
      (data) => connection.write(data),
      () => connection.endInput(),
    );
    const code = await connection.exited;
    isRunning = false;
    return code;
  } catch (error) {
    throw hinted(error);
  } finally {
    connection.close();
    raw.release();
    // A full-screen program had no time to restore the screen.
    if (raw.hasTerminal && isRunning) await raw.write('stdout', `${RESET_SCREEN}\r\n`).catch(() => {});
  }
}

function requestOf({ raw, component, command, term }: Entering): ShellRequest {
  const { cols, rows } = raw.size;
  return {
    terminal: raw.hasTerminal,
    cols,
    rows,
    ...(component !== undefined && { component }),
    ...(command.length > 0 && { command: [...command] }),
    ...(term !== undefined && TERM.test(term) && { term }),
  };
}

function hinted(error: unknown): unknown {
  if (!(error instanceof ApiProblem)) return error;
  if (error.details.reason === 'policy')
    return new Failure('forbidden', error.message, { problem: error, hint: 'Its operator decides that.' });
  return error;
}
