// Runs a file on the pinned Node as if it were this process.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname } from 'node:path';
import { projectNode, root } from './install.mjs';

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];

// At a terminal one Ctrl-C arrives twice, from the terminal and from npm, which passes it on. The second copy must not look
// like an impatient second Ctrl-C.
const sameKeystroke = 300;

/**
 * Resolves with the exit code of `file`. The child has its own process group, so Ctrl-C reaches it only through here and exactly
 * once. If this process is killed, the kernel sends the child `whenKilled`, so that nothing keeps running.
 */
export async function runOnProjectNode(file, options) {
  return (await endOnProjectNode(file, options)).code;
}

/** Like the function above, with the ending signal and whether a stop was requested. */
export function endOnProjectNode(file, { args = [], nodeArgs = [], env = {}, whenKilled }) {
  const [command, ...rest] = endingWithParent([projectNode, ...nodeArgs, file, ...args], whenKilled);
  return new Promise((done, fail) => {
    const child = spawn(command, rest, {
      cwd: root,
      stdio: 'inherit',
      detached: true,
      env: { ...process.env, PATH: `${dirname(projectNode)}${delimiter}${process.env.PATH ?? ''}`, ...env },
    });
    let last = { signal: '', at: 0 };
    const passOn = (signal) => {
      if (last.signal === signal && Date.now() - last.at < sameKeystroke) return;
      last = { signal, at: Date.now() };
      child.kill(signal);
    };
    for (const signal of forwarded) process.on(signal, passOn);
    const watch = whenNpmIsGone(() => passOn('SIGTERM'));
    const settle = () => {
      clearInterval(watch);
      for (const signal of forwarded) process.off(signal, passOn);
    };
    child.on('error', (error) => {
      settle();
      fail(error);
    });
    child.on('close', (code, signal) => {
      settle();
      done({ code: code ?? 128 + constants.signals[signal], signal, asked: last.signal !== '' });
    });
  });
}

/**
 * Detects a stopped npm: npm runs scripts through a shell, and a SIGTERM to npm ends that shell without a signal to us; only the
 * parent process changes. Without npm there is nothing to detect.
 */
function whenNpmIsGone(end) {
  if (process.env.npm_lifecycle_event === undefined) return undefined;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    end();
  }, 250);
  return watch;
}

/** Every Debian has setpriv; elsewhere the child runs without this safeguard. */
function endingWithParent(argv, signal) {
  const setpriv = '/usr/bin/setpriv';
  return existsSync(setpriv) ? [setpriv, '--pdeathsig', signal.slice(3), ...argv] : argv;
}
