/** What a script learns from the exit code. Printed by `hortus help`; a code never changes its meaning. */
export const exitCodes = {
  ok: { code: 0, meaning: 'done' },
  failed: { code: 1, meaning: 'the operation was carried out and failed' },
  usage: { code: 2, meaning: 'the command line is not right, or something must be confirmed' },
  forbidden: { code: 3, meaning: 'not signed in, or the key may not do this' },
  missing: { code: 4, meaning: 'there is no such thing, or the name fits several' },
  unreachable: { code: 5, meaning: 'the service cannot be reached' },
  refused: { code: 6, meaning: 'the service found the request not valid' },
  unavailable: { code: 7, meaning: 'the service failed or has too much to do; try again later' },
  unfinished: { code: 8, meaning: 'still under way when --timeout had passed' },
  interrupted: { code: 130, meaning: 'interrupted from the keyboard' },
} as const;

export type Exit = keyof typeof exitCodes;
