import type { DebianImage } from './debian-image.ts';
import { nodeLibraries } from './npm-app.ts';

const nodeImage = {
  packages: nodeLibraries,
  user: ['node', 1000],
} as const;

/**
 * Substitutes for images of applications, by repository. Those from npm have the version of the tag, on this project's Node.
 */
export const appImages: Readonly<Record<string, DebianImage>> = {
  'docker.io/nodered/node-red': {
    ...nodeImage,
    bases: { alpine: ['bash', 'curl'] },
    npm: { name: 'node-red', folder: '/usr/src/node-red', beside: ['npm'] },
    user: ['node-red', 1000],
    folders: ['/data'],
    links: { '/usr/local/bin/npm': '/usr/src/node-red/node_modules/npm/bin/npm-cli.js' },
    entrypoint: 'node-red.sh',
    changes: ['USER node-red', 'WORKDIR /usr/src/node-red', 'VOLUME /data', 'ENV FLOWS=flows.json'],
  },
  'docker.io/directus/directus': {
    ...nodeImage,
    bases: { alpine: [] },
    npm: { name: 'directus', folder: '/directus' },
    folders: ['/home/node', '/directus/database', '/directus/extensions', '/directus/uploads'],
    files: {
      '/directus/cli.js': "import('./node_modules/directus/cli.js');\n",
      // Compiled at installation; runs the scripts of sandboxed extensions, which no test has.
      '/directus/node_modules/isolated-vm/isolated-vm.js': 'module.exports = {};\n',
    },
    changes: [
      'USER node',
      'WORKDIR /directus',
      'ENV NODE_ENV=production DB_CLIENT=sqlite3 EXTENSIONS_PATH=/directus/extensions STORAGE_LOCAL_ROOT=/directus/uploads',
      'CMD ["sh", "-c", "node cli.js bootstrap && exec node cli.js start"]',
    ],
  },
};
