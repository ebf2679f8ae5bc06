/** Explains to a person why a network is still there. */
export const stuckNetwork = (name: string): string =>
  `Network ${name} was kept: the engine counts endpoints on it but lists none. It can be removed once the engine has restarted.`;
