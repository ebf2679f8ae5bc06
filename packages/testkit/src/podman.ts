import { type KeptEngine, keepEngine } from './engine-keeper.ts';

/** Only root can have one that containers can be reached in; without root the tests of Podman are left out. */
export const canStartPodman = process.getuid?.() === 0;

/** A real Podman that speaks Docker's API at a socket of its own: own images, containers and networks, no trace afterwards. */
export const startPodman = (): Promise<KeptEngine> => keepEngine('podman');
