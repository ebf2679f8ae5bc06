// What other resources may use of registries.
export type { Registries } from './service.ts';
