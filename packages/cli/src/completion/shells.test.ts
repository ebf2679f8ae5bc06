import * as childProcess from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cliMain } from '@hortus/testkit/programs';
import { runInTerminal } from '@hortus/testkit/pseudo-terminal';
import { type TemporaryFolder, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hortus } from '../testing/hortus.ts';
import * as records from '../testing/records.ts';
import { type ScriptedService, startScriptedService } from '../testing/scripted-service.ts';

const execFile = promisify(childProcess.execFile);

let service: ScriptedService;
let home: TemporaryFolder;
let env: Record<string, string>;

beforeEach(async () => {
  service = await startScriptedService();
  service.list('instances.list', [records.instance(), records.instance({ instance_uid: 'orders' })]);
  service.list('servers.list', [records.server()]);
  home = temporaryFolder('shell');
  const program = join(home.path, 'hortus');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${cliMain}' "$@"\n`);
  chmodSync(program, 0o755);
  env = {
    PATH: `${home.path}:${process.env.PATH}`,
    HOME: home.path,
    HORTUS_URL: service.url,
    HORTUS_KEY: 'hk_live_1',
    LC_ALL: 'C.UTF-8',
  };
});
afterEach(async () => {
  await home.remove();
  await service.stop();
});

const shells = {
  bash: { argv: ['bash', '--norc', '-i'], load: 'source <(hortus completion bash)' },
  zsh: {
    argv: ['zsh', '-f', '-i'],
    load: 'autoload -Uz compinit; compinit -u -D; source <(hortus completion zsh)',
  },
  fish: { argv: ['fish', '--no-config'], load: 'hortus completion fish | source' },
};

test.each(Object.entries(shells))(
  'the tab key of a real %s completes commands, options and live names',
  {
    timeout: 120_000,
  },
  async (shell, { argv, load }) => {
    const terminal = runInTerminal(argv, env, { rows: 40, cols: 200 });
    // The arithmetic distinguishes the output from its echo.
    const ready = shell === 'fish' ? 'echo ready-(math 2+2)' : 'echo ready-$((2+2))';
    terminal.type(`${load}; ${ready}\r`);
    await terminal.shows('ready-4');
    // Ctrl-A goes to the beginning of the line; printf then shows the words of the completed line.
    terminal.type("hortus instances sho\tfee\t--no-c\t\u0001printf '<%s>' \r");
    await terminal.shows('<hortus><instances><show><feeds><--no-color>');
    terminal.type("hortus servers show w\t\u0001printf '<%s>' \r");
    await terminal.shows('<hortus><servers><show><web-1>');
    terminal.type('exit\r');
    await terminal.code;
  },
);

test('fish shows what each candidate is', async () => {
  const script = 'hortus completion fish | source; complete -C "hortus instances show "';
  const { stdout } = await execFile('fish', ['--no-config', '-c', script], { env });
  expect(stdout).toBe('feeds\treader, running\norders\treader, running\n');
});

test('a service that does not answer ends the completion within its time, silently', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await new Promise((done) => silent.once('listening', done));
  try {
    const { port } = silent.address() as AddressInfo;
    const asked = (url: string) =>
      hortus(home.path, ['completion', 'bash', '--', 'instances', 'show', ''], {
        env: { HORTUS_URL: url, HORTUS_KEY: 'hk_live_1' },
      });
    const nothing = { code: 0, stdout: '', stderr: '' };
    expect(await asked(`http://127.0.0.1:${port}`)).toEqual(nothing);
    expect(await asked('http://127.0.0.1:9')).toEqual(nothing);
    const anonymous = await hortus(home.path, ['completion', 'bash', '--', 'instances', 'show', '']);
    expect(anonymous).toEqual(nothing);
  } finally {
    silent.closeAllConnections();
    silent.close();
  }
});
