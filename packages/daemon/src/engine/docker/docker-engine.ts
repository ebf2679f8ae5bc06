import type { Engine } from '../engine.ts';
import { DockerApi } from './docker-api.ts';
import { pathFacts, putFiles, readArchive, writeArchive } from './docker-archive.ts';
import {
  createContainer,
  inspectContainer,
  killContainer,
  listContainers,
  listRunning,
  removeContainer,
  renameContainer,
  startContainer,
  stopContainer,
  waitForContainer,
} from './docker-containers.ts';
import { followEvents } from './docker-events.ts';
import { attachExec, dockerExec } from './docker-exec.ts';
import {
  hasImage,
  imageDigests,
  imagesInUse,
  importImage,
  loadImages,
  pullImage,
  readImage,
  removeImage,
} from './docker-images.ts';
import { cachedInfo, readInfo, readPlatform } from './docker-info.ts';
import { readLogs } from './docker-logs.ts';
import { listHostMounts } from './docker-mounts.ts';
import { ensureNetwork, joinNetwork, listNetworks, removeNetwork } from './docker-networks.ts';
import { ensureVolume, findVolume, listVolumes, removeVolume } from './docker-volumes.ts';
import { followLogs } from './follow-logs.ts';
import { standardTimeouts, type Timeouts } from './timeouts.ts';

export interface DockerEngineOptions {
  socketPath: string;
  timeouts?: Partial<Timeouts>;
}

/** Driver for Docker 20.10 or later, and compatible engines, over a unix socket. Connects with the first call. */
export function openDockerEngine({ socketPath, timeouts }: DockerEngineOptions): Engine {
  const api = new DockerApi(socketPath, { ...standardTimeouts, ...timeouts });
  const known = cachedInfo(api);
  return {
    info: () => readInfo(api),
    platform: () => readPlatform(api),

    containers: ({ labels }) => listContainers(api, labels),
    running: ({ labels }) => listRunning(api, labels),
    hostMounts: () => listHostMounts(api),
    inspect: (id) => inspectContainer(api, id),

    hasImage: (ref) => hasImage(api, ref),
    imageDigests: (ref) => imageDigests(api, ref),
    image: (ref) => readImage(api, ref),
    imagesInUse: () => imagesInUse(api),
    removeImage: (ref) => removeImage(api, ref),
    substituteFor: () => undefined,
    isSubstitute: () => false,
    pull: (ref, on, options = {}) => pullImage(api, ref, on, options),
    importImage: (ref, archive) => importImage(api, ref, archive),
    loadImages: (archive) => loadImages(api, archive),

    volumes: ({ labels }) => listVolumes(api, labels),
    volume: (name) => findVolume(api, name),
    networks: ({ labels }) => listNetworks(api, labels),
    ensureNetwork: (spec) => ensureNetwork(api, spec),
    ensureVolume: (spec) => ensureVolume(api, spec),
    removeNetwork: (name) => removeNetwork(api, name),
    joinNetwork: (name, id, aliases) => joinNetwork(api, name, id, aliases),
    removeVolume: (name) => removeVolume(api, name),

    create: (spec) => createContainer(api, spec, known),
    putFiles: (id, files) => putFiles(api, id, files),
    readArchive: (id, path, signal) => readArchive(api, id, path, signal),
    pathFacts: (id, path) => pathFacts(api, id, path),
    writeArchive: (id, path, archive, signal) => writeArchive(api, id, path, archive, signal),
    start: (id) => startContainer(api, id),
    stop: (id, graceMs) => stopContainer(api, id, graceMs),
    kill: (id, signal) => killContainer(api, id, signal),
    remove: (id, { force = false } = {}) => removeContainer(api, id, force),
    rename: (id, name) => renameContainer(api, id, name),

    wait: (id, signal) => waitForContainer(api, id, signal),
    followLogs: (id, since, signal) => followLogs(api, id, since, signal),
    logs: (id, { tail }) => readLogs(api, id, tail),
    events: (filter, on, signal) => followEvents(api, filter, on, signal),
    exec: (id, command, signal) => dockerExec(api, id, command, signal),
    attach: (id, command) => attachExec(api, id, command),

    close: () => api.close(),
  };
}
