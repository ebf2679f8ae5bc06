import { type KeptEngine, keepEngine } from './engine-keeper.ts';

/** Only root can start a Podman with reachable containers; without root its tests are skipped. */
export const canStartPodman = process.getuid?.() === 0;

/** Starts a separate Podman with Docker's API on its own socket; leaves no trace. */
export const startPodman = (): Promise<KeptEngine> => keepEngine('podman');
