import { idPrefixes } from './names.ts';

export type IdKind = keyof typeof idPrefixes;

export const idPattern = (kind: IdKind): string => `^${idPrefixes[kind]}_[0-9a-z]{26}$`;
