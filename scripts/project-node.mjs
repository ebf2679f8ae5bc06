// Runs a file of the project on the Node the project pins, as if it were this process.
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
 * Resolves with the exit code of `file`. The child has a process group of its own, so a terminal's Ctrl-C reaches it only
 * through here, exactly once, and it can end in its own time. If this process is killed outright, the kernel sends the child
 * `whenKilled`, so that nothing keeps running unseen.
 */
export async function runOnProjectNode(file, options) {
  return (await endOnProjectNode(file, options)).code;
}

/** The same, with the signal that ended it, if one did, and whether we were asked to end it. */
export function endOnProjectNode(file, { args = [], env = {}, whenKilled }) {
  const [command, ...rest] = endingWithParent([projectNode, file, ...args], whenKilled);
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
 * npm runs a script through a shell, and a SIGTERM to npm ends that shell without a word to us. The only sign is a new parent.
 * Started by hand there is no npm to lose, and a terminal that closes is no reason to end.
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

/** setpriv is part of every Debian; elsewhere the child simply runs without this safety net. */
function endingWithParent(argv, signal) {
  const setpriv = '/usr/bin/setpriv';
  return existsSync(setpriv) ? [setpriv, '--pdeathsig', signal.slice(3), ...argv] : argv;
}
