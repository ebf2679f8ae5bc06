import { existsSync } from 'node:fs';
import type { Platform } from '../engine/engine.ts';

/** Additional architectures that a processor runs natively. */
const alsoRuns: Readonly<Record<string, readonly string[]>> = { amd64: ['386'], arm64: ['arm'] };

/** Names of emulators that may be registered in the kernel. */
const emulators: Readonly<Record<string, string>> = {
  amd64: 'qemu-x86_64',
  386: 'qemu-i386',
  arm64: 'qemu-aarch64',
  arm: 'qemu-arm',
  ppc64le: 'qemu-ppc64le',
  s390x: 'qemu-s390x',
  riscv64: 'qemu-riscv64',
};

const emulated = (arch: string): boolean => existsSync(`/proc/sys/fs/binfmt_misc/${emulators[arch] ?? 'qemu-none'}`);

/** Answers whether an image runs on a server. An image without a platform is assumed to. */
export function runsOn(image: Platform, server: Platform, isEmulated = emulated): boolean {
  if (image.os !== '' && image.os !== server.os) return false;
  const { arch } = image;
  return arch === '' || arch === server.arch || (alsoRuns[server.arch] ?? []).includes(arch) || isEmulated(arch);
}
