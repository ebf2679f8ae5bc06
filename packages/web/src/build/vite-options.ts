import { join } from 'node:path';
import { endpointRows } from '@hortus/contract/endpoints';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import type { InlineConfig, Plugin } from 'vite';

export const sourceFolder = join(import.meta.dirname, '..');

/** Options of the production build. */
export const consoleBuild = (folder: string): InlineConfig => ({
  ...shared,
  logLevel: 'warn',
  build: {
    outDir: folder,
    emptyOutDir: true,
    target: 'es2023',
    // Data URLs of fonts and scripts are refused by the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { input: ['index.html', 'terminal.html'].map((page) => join(sourceFolder, '..', page)) },
  },
});

/**
 * Replaces the endpoint table by the fields that a client needs. The schemas, which only the service validates with, are
 * larger than the rest of the console.
 */
const slimContract: Plugin = {
  name: 'slim-contract',
  enforce: 'pre',
  load(id) {
    if (!id.endsWith('/packages/contract/src/endpoints.ts')) return undefined;
    const rows = endpointRows.map(([name, { method, path, permission, media, idempotent }]) => [
      name,
      { method, path, permission, media, idempotent },
    ]);
    return `export const endpoints = ${JSON.stringify(Object.fromEntries(rows))};`;
  },
};

const shared: InlineConfig = {
  root: join(sourceFolder, '..'),
  configFile: false,
  plugins: [slimContract, react(), tailwind()],
};
