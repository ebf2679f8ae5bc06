import { TRIAL_VARIABLE } from './trial-messages.ts';

/**
 * Replaces this process by another program with the same arguments: a service manager that watches it notices nothing. Throws if
 * the program cannot be executed.
 */
export function becomeProgram(file: string, args: readonly string[]): never {
  const { [TRIAL_VARIABLE]: _trial, NODE_CHANNEL_FD: _channel, ...env } = process.env;
  if (process.execve === undefined) throw new Error('this system cannot replace a process');
  return process.execve(file, [file, ...args], env as Record<string, string>);
}

/** Answers whether systemd runs this process and starts it again when it ends. */
export const isSupervisedBySystemd = (): boolean => process.env.INVOCATION_ID !== undefined;
