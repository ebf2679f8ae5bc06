/** Exit codes for scripts, printed by `hortus help`. Their meaning never changes. */
export const exitCodes = {
  ok: { code: 0, meaning: 'success' },
  failed: { code: 1, meaning: 'the operation ran and failed' },
  usage: { code: 2, meaning: 'wrong usage, or a confirmation is missing' },
  forbidden: { code: 3, meaning: 'not signed in, or the key lacks the permission' },
  missing: { code: 4, meaning: 'not found, or the name is ambiguous' },
  unreachable: { code: 5, meaning: 'the service cannot be reached' },
  refused: { code: 6, meaning: 'the service rejected the request as invalid' },
  unavailable: { code: 7, meaning: 'the service failed or is overloaded; try again later' },
  unfinished: { code: 8, meaning: 'still running after --timeout' },
  interrupted: { code: 130, meaning: 'interrupted from the keyboard' },
} as const;

export type Exit = keyof typeof exitCodes;
